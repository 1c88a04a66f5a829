import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bypassProxyForLoopback } from '../bypass-proxy.ts';
import { ConfigInvalidError } from '../config/config-invalid-error.ts';
import { CdkJsonError } from '../config/read-cdk-json.ts';
import { writeLocalStackFile } from '../local-stack-file.ts';
import type { RunningConsole } from './console/start-console.ts';
import { CONSOLE_PORT, DEFAULT_PORTS } from './embedded/ports.ts';
import { readLocalConfig, type LocalConfig } from './local-config.ts';
import { additionalLists, isTasks, TASKS } from './stack/additional-lists.ts';
import type { LocalStack, LocalStackOptions } from './stack/local-stack.ts';
import { RefreshTokenFile, TokenFileError } from './stack/refresh-token-file.ts';
import { addWebhooks } from './stack/subscribers/add-webhooks.ts';
import { makeTemporaryFolder } from './stack/temporary-folder.ts';
import { formatAttempt, readAttempt } from './terminal/format-attempt.ts';
import { formatWelcome } from './terminal/format-welcome.ts';
import { localiseFor } from './terminal/localise-error.ts';
import { HELP, parseOptions, type Options } from './terminal/parse-options.ts';
import { OptionInvalidError } from './terminal/read-flags.ts';
import { stopOnSignals } from './terminal/stop-on-signals.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The simulated service has no request limit. */
const SIMULATED_CONFIG = { requestsPerMinute: 60_000 };
/** The console shows the metrics. */
const LOCAL_CONFIG = { monitoring: 'full' };
/** A lease lasts as long, so that a killed run is replaced within 20 seconds. */
const POLLER_TIMEOUT_SECONDS = 15;

const stopping = stopOnSignals();
bypassProxyForLoopback();
process.exit(await main());

/** @returns the exit status, once everything is stopped and written. */
async function main(): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    if (!isAboutOptions(error)) throw error;
    console.error(error.message);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const { openTerminal } = await import('./terminal/terminal.ts');
  const terminal = openTerminal(options.json, () => {
    stopping.abort();
  });
  const folder = await makeTemporaryFolder();
  const status = await run(options, terminal, join(folder, 'refresh-token'));
  await rm(folder, { recursive: true, force: true });
  await terminal.flush();
  return status;
}

/** Whether the flags, or the stage that they name, are wrong. */
function isAboutOptions(error: unknown): error is Error {
  return (
    error instanceof OptionInvalidError ||
    error instanceof CdkJsonError ||
    error instanceof ConfigInvalidError
  );
}

/** @param simulatedTokenFile where the simulated service's refresh token is put for clients. */
async function run(
  options: Options,
  terminal: Terminal,
  simulatedTokenFile: string,
): Promise<number> {
  // Imported late: loading takes a moment, and Ctrl-C must work during it.
  const [{ startLocalStack }, { runSession }, { ProblemLog }] = await Promise.all([
    import('./stack/local-stack.ts'),
    import('./terminal/run-session.ts'),
    import('./terminal/problem-log.ts'),
  ]);
  const { signal } = stopping;
  const tokenPath = options.service?.tokenFile.path ?? simulatedTokenFile;
  const problems = new ProblemLog(options.verbose, localiseFor(tokenPath));
  let stack: LocalStack | undefined;
  let webConsole: RunningConsole | undefined;
  try {
    if (!options.headless) {
      const { startConsole } = await import('./console/start-console.ts');
      webConsole = await startConsole({
        port: CONSOLE_PORT,
        everySeconds: options.every,
        isSimulated: !options.service,
      });
      terminal.status(`Console: ${webConsole.url}`);
    }
    terminal.status('Starting: synthesizing the stack …');
    const described = stackOptions(options);
    stack = await startLocalStack({
      ...described,
      ports: DEFAULT_PORTS,
      pollerTimeoutSeconds: POLLER_TIMEOUT_SECONDS,
      onLog: (line) => {
        webConsole?.session.readLog(line);
        const attempt = readAttempt(line);
        if (attempt) terminal.status(formatAttempt(attempt));
        const text = attempt && !options.verbose ? undefined : problems.read(line);
        if (text !== undefined) terminal.problem(text);
      },
      signal,
    });
    if (stack.service) await writeFile(tokenPath, stack.service.refreshToken, { mode: 0o600 });
    const { baseUrl, authUrl } = stack;
    const { stage = 'local', config } = described;
    const localConfig = await readLocalConfig(stage, { ...config, baseUrl, authUrl });
    for (const warning of localConfig.warnings) terminal.problem(`Warning: ${warning}`);
    await tellCommands(stack, localConfig, dirname(simulatedTokenFile));
    const tokenFile = options.service?.tokenFile ?? new RefreshTokenFile(tokenPath);
    terminal.status(formatWelcome(stack, options, tokenPath));
    await webConsole?.session.attach(stack, localConfig.requestsPerMinute);
    const beforeRun = takeUpToken(stack, tokenFile, terminal);
    const { requestsPerMinute } = localConfig;
    const observed = webConsole && { observer: webConsole.session };
    const isReachable = await runSession(
      stack,
      { ...options, problems, beforeRun, requestsPerMinute, ...observed },
      terminal,
      signal,
    );
    if (!isReachable) {
      const cause = problems.lastError ?? 'see the messages above';
      terminal.problem(`No page was read from ${stack.baseUrl}: ${cause}.`);
    }
    return isReachable ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 0;
    const { name, message, stack: trace = '' } = error as Error;
    if (isAboutOptions(error) || name === 'SynthesisFailedError') terminal.problem(message);
    else terminal.problem(options.verbose ? trace : `${name}: ${message}`);
    return 1;
  } finally {
    await webConsole?.close();
    await stack?.close();
  }
}

function stackOptions(options: Options): LocalStackOptions {
  const { service, seed, large, additional, stage } = options;
  const stageLists = additionalLists(stage?.config);
  return {
    webhooks: options.webhooks,
    ...(service && { realService: { ...service, refreshToken: service.tokenFile.token } }),
    service: { ...(seed !== undefined && { seed }), large, additional },
    ...(stage && { stage: stage.name }),
    config: addWebhooks(
      {
        ...LOCAL_CONFIG,
        ...(!service && SIMULATED_CONFIG),
        ...stage?.config,
        ...(options.fifo && { topicType: 'fifo' }),
        ...(options.withSheets && { withCurrentSheet: true }),
        ...(options.serviceVersion !== undefined && { serviceVersion: options.serviceVersion }),
        ...(additional && {
          additionalResources: [...stageLists.filter((list) => !isTasks(list)), TASKS],
        }),
      },
      options.webhooks,
    ),
  };
}

/** Leaves the addresses for `npm run sitecast -- --local`, until the folder is removed. */
function tellCommands(
  stack: LocalStack,
  { hiddenEntities }: LocalConfig,
  folder: string,
): Promise<void> {
  const { endpoints, lambdaUrl, service, provisioned, topicArn } = stack;
  const functionName = provisioned.outputs['ControlFunctionName'];
  return writeLocalStackFile(folder, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    lambdaUrl,
    snsUrl: endpoints.sns,
    sqsUrl: endpoints.sqs,
    topicArn,
    hiddenEntities,
    ...(service && { adminUrl: service.adminUrl }),
    ...(functionName !== undefined && { functionName }),
  });
}

/** Puts the refresh token into the secret again whenever its file has changed. */
function takeUpToken(stack: LocalStack, file: RefreshTokenFile, terminal: Terminal) {
  return async (): Promise<void> => {
    try {
      const token = file.readAgain();
      if (token === undefined) return;
      await stack.putRefreshToken(token);
      terminal.status(`The refresh token was read again from ${file.path}`);
    } catch (error) {
      if (!(error instanceof TokenFileError)) throw error;
      terminal.problem(`The refresh token was not read again: the file is ${error.message}`);
    }
  };
}
