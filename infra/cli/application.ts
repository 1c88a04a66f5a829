import {
  buildApplication,
  buildRouteMap,
  formatMessageForArgumentScannerError,
  help,
  run,
  text_en,
  version,
  type Application,
  type ApplicationText,
  type ArgumentScannerError,
  type Command,
  type RouteMap,
} from '@stricli/core';
import { CliError, describeError, EXIT } from './cli-error.ts';
import {
  cancelCommand,
  pauseCommand,
  resumeCommand,
  retryCommand,
  rewindCommand,
} from './commands/change.ts';
import { listenCommand } from './commands/listen.ts';
import { reconcileCommand, replayCommand } from './commands/order.ts';
import { quarantineRoutes } from './commands/quarantine.ts';
import { statusCommand } from './commands/status.ts';
import { triggerCommand } from './commands/trigger.ts';
import { webhookRoutes } from './commands/webhooks.ts';
import { asTyped } from './report.ts';
import type { CliContext } from './terminal.ts';
import manifest from '#manifest' with { type: 'json' };

export type Routes = Readonly<Record<string, Command<CliContext> | RouteMap<CliContext>>>;

const OPERATION: Routes = {
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
};

const TEXT: ApplicationText = {
  ...text_en,
  exceptionWhileParsingArguments: (error) =>
    formatMessageForArgumentScannerError(error as ArgumentScannerError, {
      ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) =>
        `${nameOf(name)} is ${JSON.stringify(input)}; ${(exception as Error).message}`,
      EnumValidationError: ({ externalFlagName, input, values }) =>
        `--${externalFlagName} is ${JSON.stringify(input)}; allowed: ${values.join(', ')}`,
    }),
  exceptionWhileRunningCommand: (error) => asTyped(describeError(error)),
};

const FORMATTING = {
  caseStyle: 'convert-camel-to-kebab',
  useAliasInUsageLine: false,
  onlyRequiredInUsageLine: true,
} as const;

/** Makes the command line. @param others commands beside those of operators. */
export function makeApplication(others: Routes = {}): Application<CliContext> {
  const routes = buildRouteMap<string, CliContext>({
    routes: { ...others, ...OPERATION },
    docs: {
      brief: 'Run and operate Sitecast',
      fullDescription: `Run and operate Sitecast: show where lists stand, pause them, publish events again.

EXAMPLES
  sitecast status --stage prod
  sitecast pause --stage prod --list projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans
  sitecast listen --local

Exit codes: 0 done, 1 refused or failed, 2 wrong usage. More: docs/commands.md`,
    },
  });
  return buildApplication<CliContext>(
    routes,
    {
      name: 'sitecast',
      scanner: { caseStyle: 'allow-kebab-for-camel' },
      documentation: { ...FORMATTING, disableAnsiColor: true },
      localization: { text: TEXT },
      determineExitCode: (error) => (error instanceof CliError ? error.exitCode : EXIT.failed),
    },
    {
      help: help({ brief: 'Print this help', defaultForRouteMap: true, formatting: FORMATTING }),
      version: version({ brief: 'Print the version', info: { currentVersion: manifest.version } }),
    },
  );
}

/** Runs the command that was typed. @returns the exit code. */
export async function runProgram(
  inputs: readonly string[],
  { stdin, stdout, stderr, env }: CliContext['process'],
  others?: Routes,
): Promise<number> {
  const process: CliContext['process'] & { exitCode?: number | string | null } = {
    ...{ stdin, stdout, stderr, env },
  };
  const [first, ...rest] = inputs;
  const words = first === 'help' ? [...rest, '--help'] : inputs;
  await run(makeApplication(others), words, { process });
  const code = Number(process.exitCode ?? EXIT.done);
  // The parser's own codes for wrong usage are negative.
  return code < 0 ? EXIT.usage : code;
}

/** Only ids of items and names of webhooks are read without a flag. */
function nameOf(flagOrPlaceholder: string): string {
  return ['name', 'id'].includes(flagOrPlaceholder)
    ? `<${flagOrPlaceholder}>`
    : `--${flagOrPlaceholder}`;
}
