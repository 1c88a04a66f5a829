/**
 * Process of a function. Loads the handler `_HANDLER` from `LAMBDA_TASK_ROOT`, and answers the
 * invocations of its input, one a line.
 */
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { ANSWER, type Answer, type ErrorPayload, type Invocation } from './protocol.ts';

type Handler = (event: unknown, context: object) => unknown;

const { env, stdout } = process;
// It is for Node.js only: a function sees nothing of its host.
delete env['NODE_COMPILE_CACHE'];
// Ctrl-C in a terminal reaches every process of the group, but the host ends this process.
process.on('SIGINT', () => undefined);
// In one stream all logs are before the answer.
process.stderr.write = stdout.write.bind(stdout);

async function loadHandler(): Promise<Handler> {
  const { LAMBDA_TASK_ROOT: folder = '', _HANDLER: name = '' } = env;
  const [file = '', exported = ''] = name.split('.');
  const path = join(folder, `${file}.mjs`);
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  // A process that is killed would leave nothing in it.
  flushCompileCache();
  const handler = module[exported];
  if (typeof handler !== 'function') throw new Error(`${name} is undefined or not exported`);
  return handler as Handler;
}

function makeContext({ requestId, deadline }: Invocation): object {
  return {
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'],
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'],
    invokedFunctionArn: env['LOCAL_FUNCTION_ARN'],
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function describeError(thrown: unknown): ErrorPayload {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack = '' } = error;
  return { errorType: name, errorMessage: message, trace: stack.split('\n') };
}

let handler: Handler | undefined;

async function invoke(invocation: Invocation): Promise<Answer> {
  try {
    handler ??= await loadHandler();
    return { payload: JSON.stringify(await handler(invocation.event, makeContext(invocation))) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    void invoke(JSON.parse(line) as Invocation).then((answer) =>
      stdout.write(`\n${ANSWER}${JSON.stringify(answer)}\n`),
    );
  })
  // Without its host the process has no work.
  .on('close', () => process.exit());
