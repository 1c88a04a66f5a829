import type { LocalStack } from './stack/local-stack.ts';
import { HELP, OptionInvalidError, parseOptions, type Options } from './terminal/parse-options.ts';
import { stopOnSignals } from './terminal/stop-on-signals.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The simulated service has no request limit. */
const SIMULATED_CONFIG = { requestsPerMinute: 60_000 };

const stopping = stopOnSignals();
process.exit(await main());

/** @returns the exit status, once everything is stopped and written. */
async function main(): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof OptionInvalidError)) throw error;
    console.error(error.message);
    return 1;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const { openTerminal } = await import('./terminal/terminal.ts');
  const terminal = openTerminal(options.json, () => {
    stopping.abort();
  });
  const status = await run(options, terminal);
  await terminal.flush();
  return status;
}

async function run(options: Options, terminal: Terminal): Promise<number> {
  // Imported late: loading takes a moment, and Ctrl-C must work during it.
  const [{ startLocalStack }, { runSession }, { formatLogLine }] = await Promise.all([
    import('./stack/local-stack.ts'),
    import('./terminal/run-session.ts'),
    import('./terminal/format-output.ts'),
  ]);
  const { signal } = stopping;
  let stack: LocalStack | undefined;
  try {
    terminal.status('Starting: synthesizing the stack …');
    stack = await startLocalStack({
      ...(options.service && { realService: options.service }),
      ...(options.seed !== undefined && { service: { seed: options.seed } }),
      config: {
        ...(!options.service && SIMULATED_CONFIG),
        ...(options.fifo && { topicType: 'fifo' }),
      },
      onLog: (line) => {
        const text = formatLogLine(line, options.verbose);
        if (text !== undefined) terminal.problem(text);
      },
      signal,
    });
    terminal.status(welcome(stack, options));
    const hasGoodRun = await runSession(stack, options, terminal, signal);
    return hasGoodRun || signal.aborted ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 0;
    const { name, message, stack: trace = '' } = error as Error;
    terminal.problem(options.verbose ? trace : `${name}: ${message}`);
    return 1;
  } finally {
    await stack?.close();
  }
}

function welcome(stack: LocalStack, { every, seconds }: Options): string {
  const { endpoints, service, schedule } = stack;
  const until = seconds === undefined ? 'until Ctrl-C' : `for ${seconds} s`;
  return `
  service           ${stack.baseUrl}/api/v3${service ? ' (simulated)' : ''}
  ${service ? `control           ${service.controlUrl}\n  ` : ''}DynamoDB          ${endpoints.dynamodb}
  S3, SNS, SQS      ${endpoints.sns}
  Secrets Manager   ${endpoints.secretsManager}
  topic             ${stack.topicArn}
  poller            every ${every} s (deployed: every ${schedule.everySeconds} s), ${until}
`;
}
