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
import { checkCommand } from './check/check.ts';
import { CliError, describeError, EXIT, UsageError } from './cli-error.ts';
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
import { devCommand } from './dev/dev.ts';
import { serviceCommand } from './dev/service.ts';
import { asTyped, documentOf, writeDocument } from './report.ts';
import type { CliContext } from './terminal.ts';
import manifest from '#manifest' with { type: 'json' };

const ROUTES: Readonly<Record<string, Command<CliContext> | RouteMap<CliContext>>> = {
  dev: devCommand,
  service: serviceCommand,
  check: checkCommand,
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

/** @param onError gets each error, also in what was typed. */
function makeText(onError: (error: unknown) => void): ApplicationText {
  const reported = (message: string): string => {
    onError(new UsageError(message));
    return message;
  };
  return {
    ...text_en,
    noCommandRegisteredForInput: (input) => reported(text_en.noCommandRegisteredForInput(input)),
    exceptionWhileParsingArguments: (error) =>
      reported(describeUsageError(error as ArgumentScannerError)),
    exceptionWhileRunningCommand: (error) => {
      onError(error);
      return asTyped(describeError(error));
    },
  };
}

function describeUsageError(error: ArgumentScannerError): string {
  return formatMessageForArgumentScannerError(error, {
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, input, exception }) => {
      const { message } = exception as Error;
      // The parser's own says of a flag without a value that it cannot be converted.
      const allowed = message.startsWith('allowed') ? message : 'allowed: true, false';
      return `${nameOf(name)} is ${JSON.stringify(input)}; ${allowed}`;
    },
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName} is ${JSON.stringify(input)}; allowed: ${values.join(', ')}`,
    UnsatisfiedFlagError: ({ externalFlagName }) =>
      `--${externalFlagName} needs a value; --help says which`,
  });
}

const FORMATTING = {
  caseStyle: 'convert-camel-to-kebab',
  useAliasInUsageLine: false,
  onlyRequiredInUsageLine: true,
} as const;

/** Makes the command line. */
export function makeApplication(
  onError: (error: unknown) => void = () => undefined,
): Application<CliContext> {
  const routes = buildRouteMap<string, CliContext>({
    routes: ROUTES,
    docs: {
      brief: 'Run and operate Sitecast',
      fullDescription: `Run and operate Sitecast: show where lists stand, pause them, publish events
again.

EXAMPLES
  sitecast status --stage prod
  sitecast pause --stage prod --list projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans
  sitecast listen --local

Exit codes: 0 done, 1 refused or failed, 2 wrong usage. More: docs/commands.md of the
repository`,
    },
  });
  return buildApplication<CliContext>(
    routes,
    {
      name: 'sitecast',
      scanner: { caseStyle: 'allow-kebab-for-camel' },
      documentation: { ...FORMATTING, disableAnsiColor: true },
      localization: { text: makeText(onError) },
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
): Promise<number> {
  const process: CliContext['process'] & { exitCode?: number | string | null } = {
    ...{ stdin, stdout, stderr, env },
  };
  const [first, ...rest] = inputs;
  const words = first === 'help' ? [...rest, '--help'] : inputs;
  const onError = (error: unknown): void => {
    // Once it runs, dev writes events alone to standard output.
    const isEventStream = first === 'dev' && !(error instanceof UsageError);
    if (words.includes('--json') && !isEventStream) writeDocument(documentOf(error), stdout);
  };
  await run(makeApplication(onError), words, { process });
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
