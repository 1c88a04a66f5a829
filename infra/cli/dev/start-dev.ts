import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningConsole } from '../../local/console/start-console.ts';
import { CONSOLE_PORT } from '../../local/embedded/endpoints.ts';
import { makeTemporaryFolder, writeLocalStackFile } from '../../local/stack/local-stack-file.ts';
import { startLocalStack, type LocalStack } from '../../local/stack/local-stack.ts';
import { CliError } from '../cli-error.ts';
import { stopOnSignals, type CliContext } from '../terminal.ts';
import { openTerminal, type DevTerminal } from './dev-terminal.ts';
import { formatAttempt } from './format-attempt.ts';
import { formatWelcome } from './format-welcome.ts';
import { ProblemLog } from './problem-log.ts';
import { readOptions, type DevFlags, type DevOptions } from './read-options.ts';
import { runSession } from './session.ts';
import { stackOptions } from './stack-options.ts';

/** Runs the stack on this machine until it is stopped. @throws CliError if it fails. */
export async function startDev(flags: DevFlags, process: CliContext['process']): Promise<void> {
  const options = readOptions(flags);
  const signal = stopOnSignals(process);
  const folder = await makeTemporaryFolder();
  const terminal = openTerminal(process, options.json === true);
  try {
    await run(options, terminal, folder, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  options: DevOptions,
  terminal: DevTerminal,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { verbose = false } = options;
  const tokenPath = options.tokenFile ?? join(folder, 'refresh-token');
  const problems = new ProblemLog(verbose, !options.realService);
  const webConsole = await openConsole(options, terminal);
  let stack: LocalStack | undefined;
  try {
    terminal.status('Starting: creating the stack …');
    stack = await startLocalStack({
      ...stackOptions(options),
      onLog: (line) => {
        webConsole?.session.readLog(line);
        const attempt = formatAttempt(line);
        if (attempt !== undefined) terminal.status(attempt);
        const text = attempt !== undefined && !verbose ? undefined : problems.read(line);
        if (text !== undefined) terminal.problem(text);
      },
      signal,
    });
    const { service, baseUrl, warnings } = stack;
    if (service) await writeFile(tokenPath, service.refreshToken, { mode: 0o600 });
    for (const message of warnings) terminal.problem(`Warning: ${message}`);
    await saveForCommands(stack, folder);
    terminal.status(formatWelcome(stack, options, tokenPath, webConsole?.url));
    await webConsole?.session.attach(stack);
    const observed = webConsole && { observer: webConsole.session };
    const session = { ...options, problems, ...observed };
    if (await runSession(stack, session, terminal, signal)) return;
    const cause = problems.lastError ?? 'see the messages above';
    throw new CliError(`No page was read from ${baseUrl}: ${cause}.`);
  } finally {
    await webConsole?.close();
    await stack?.close();
  }
}

/** Opens the web console unless it is not wanted. */
async function openConsole(
  { console: isWanted, headless, every, realService }: DevOptions,
  terminal: DevTerminal,
): Promise<RunningConsole | undefined> {
  if (!isWanted || headless === true) return undefined;
  const { startConsole } = await import('../../local/console/start-console.ts');
  const followed = { everySeconds: every, isSimulated: !realService };
  const webConsole = await startConsole({ port: CONSOLE_PORT, ...followed });
  terminal.status(`Console: ${webConsole.url}`);
  return webConsole;
}

/** Leaves the addresses for `sitecast … --local`, until the folder is removed. */
async function saveForCommands(stack: LocalStack, folder: string): Promise<void> {
  const { endpoints, service, provisioned, topicArn } = stack;
  const functionName = provisioned.outputs['ControlFunctionName'];
  await writeLocalStackFile(folder, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    ...{ endpoints, topicArn },
    ...(service && { adminUrl: service.adminUrl }),
    ...(functionName !== undefined && { functionName }),
  });
}
