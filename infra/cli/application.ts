import { buildInstallCommand, buildUninstallCommand } from '@stricli/auto-complete';
import {
  buildApplication,
  buildRouteMap,
  formatMessageForArgumentScannerError,
  help,
  text_en,
  version,
  type Application,
  type ApplicationText,
  type ArgumentScannerError,
} from '@stricli/core';
import { findNearest } from '../config/find-nearest.ts';
import manifest from '../package/manifest.json' with { type: 'json' };
import { CliError, describeError, EXIT } from './cli-error.ts';
import {
  cancelCommand,
  pauseCommand,
  resumeCommand,
  retryCommand,
  rewindCommand,
} from './commands/change.ts';
import { listenCommand } from './commands/listen/listen.ts';
import { reconcileCommand, replayCommand } from './commands/order.ts';
import { quarantineRoutes } from './commands/quarantine.ts';
import { statusCommand } from './commands/status/status.ts';
import { triggerCommand } from './commands/trigger.ts';
import { webhookRoutes } from './commands/webhooks/webhooks.ts';
import type { CliContext } from './terminal.ts';
import { asTyped, missedFlags } from './typed-program.ts';

/** The argument with which the shell asks for completions. */
export const COMPLETE = '__complete';

const NAME = 'sitecast';

const routes = buildRouteMap<string, CliContext>({
  routes: {
    status: statusCommand,
    pause: pauseCommand,
    resume: resumeCommand,
    retry: retryCommand,
    rewind: rewindCommand,
    reconcile: reconcileCommand,
    replay: replayCommand,
    cancel: cancelCommand,
    quarantine: quarantineRoutes,
    webhooks: webhookRoutes,
    listen: listenCommand,
    trigger: triggerCommand,
    completion: buildRouteMap<string, CliContext>({
      routes: {
        install: buildInstallCommand(NAME, { bash: `${NAME} ${COMPLETE}` }),
        uninstall: buildUninstallCommand(NAME, { bash: true }),
      },
      docs: { brief: 'Complete commands and flags in bash' },
    }),
  },
  docs: {
    brief: 'Operate a stack of Sitecast',
    fullDescription: `Operate a stack of Sitecast: see where every list stands, stop one without stopping all, get events again.

EXAMPLES
  sitecast status --stage prod
  sitecast pause --stage prod --list projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans
  sitecast listen --local

Exit codes: 0 done, 1 refused or failed, 2 wrong usage. More: docs/commands.md`,
  },
});

/** Commands that have commands of their own. */
const GROUPS = new Set(['quarantine', 'webhooks', 'completion']);

/** @param words what was typed after the name of the program. */
function makeText(words: readonly string[]): ApplicationText {
  const command = words.slice(0, GROUPS.has(words[0] ?? '') ? 2 : 1).join(' ') || '<command>';
  return {
    ...text_en,
    noCommandRegisteredForInput: ({ input, corrections }) => {
      const [group = ''] = words;
      const above = GROUPS.has(group) && input !== group ? `${group} ` : '';
      if (above !== '' && input.startsWith('-'))
        return asTyped(
          `No command of ${group} is named.\nRun ${NAME} ${group} --help to list them.`,
        );
      return asTyped(
        `There is no command ${above}${input}.${suggest(corrections)}\nRun ${NAME} ${above}--help to list the commands.`,
      );
    },
    exceptionWhileParsingArguments: (error) =>
      asTyped(
        `${describeUsage(error as ArgumentScannerError, words)}\nRun ${NAME} ${command} --help to list its flags.`,
      ),
    exceptionWhileRunningCommand: describeError,
  };
}

const FORMATTING = {
  caseStyle: 'convert-camel-to-kebab',
  useAliasInUsageLine: false,
  onlyRequiredInUsageLine: true,
} as const;

/**
 * The command line.
 *
 * @param words what was typed after the name of the program, for messages.
 */
export function makeApplication(words: readonly string[] = []): Application<CliContext> {
  return buildApplication<CliContext>(
    routes,
    {
      name: NAME,
      scanner: { caseStyle: 'allow-kebab-for-camel' },
      documentation: { ...FORMATTING, disableAnsiColor: true },
      localization: { text: makeText(words) },
      determineExitCode: (error) => (error instanceof CliError ? error.exitCode : EXIT.failed),
    },
    {
      help: help({ brief: 'Print this help', defaultForRouteMap: true, formatting: FORMATTING }),
      version: version({ brief: 'Print the version', info: { currentVersion: manifest.version } }),
    },
  );
}

/** Says what is wrong with an argument. */
function describeUsage(error: ArgumentScannerError, [command]: readonly string[]): string {
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `There is no flag --${input}.${suggest(nearestFlag(input, corrections))}`,
    AliasNotFoundError: ({ input }) => `There is no flag -${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder, input, exception }) =>
      `${nameOf(externalFlagNameOrPlaceholder)} is ${JSON.stringify(input)}; ${(exception as Error).message}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName} is ${JSON.stringify(input)}; allowed: ${values.join(', ')}`,
    UnsatisfiedFlagError: ({ externalFlagName }) =>
      `--${externalFlagName} is missing, or has no value.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `<${placeholder}> is missing.`,
    UnexpectedFlagError: ({ externalFlagName }) => `--${externalFlagName} is given twice.`,
    UnexpectedPositionalError: ({ input }) =>
      `The argument ${JSON.stringify(input)} is one too many.${command === 'trigger' ? '' : missedFlags()}`,
  });
}

/** The flag that is meant, as the help writes it. The parser's own suggestions reach too far: --wait for --all. */
function nearestFlag(input: string, corrections: readonly string[]): readonly string[] {
  const nearest = findNearest(input, corrections);
  if (nearest === undefined) return [];
  return [`--${nearest.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`];
}

/** Only ids of items and names of webhooks are read without a flag. */
function nameOf(flagOrPlaceholder: string): string {
  if (flagOrPlaceholder === 'name') return '<name>';
  return flagOrPlaceholder === 'id' ? '<id>' : `--${flagOrPlaceholder}`;
}

function suggest(corrections: readonly string[]): string {
  const [nearest] = corrections;
  return nearest === undefined ? '' : ` Did you mean ${nearest.replaceAll('`', '')}?`;
}
