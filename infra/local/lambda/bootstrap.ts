/**
 * Process of a function. Loads the handler `_HANDLER` from `LAMBDA_TASK_ROOT`, then answers one
 * invocation at a time.
 */
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  END_OF_LOG,
  type ErrorPayload,
  type InvokeMessage,
  type ProcessMessage,
} from './protocol.ts';

type Handler = (event: unknown, context: object) => unknown;

// It is for Node.js only: a function sees nothing of its host.
delete process.env['NODE_COMPILE_CACHE'];
// Ctrl-C in a terminal reaches every process of the group, but the host ends this process.
process.on('SIGINT', () => undefined);
// Without its host the process has no work.
process.on('disconnect', () => process.exit());

const { env } = process;

function send(message: ProcessMessage): void {
  process.send?.(message);
}

async function loadHandler(): Promise<Handler> {
  const { LAMBDA_TASK_ROOT: folder = '', _HANDLER: name = '' } = env;
  const [file = '', exported = ''] = name.split('.');
  const path = join(folder, `${file}.mjs`);
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const handler = module[exported];
  if (typeof handler !== 'function') throw new Error(`${name} is undefined or not exported`);
  return handler as Handler;
}

function makeContext({ requestId, deadline }: InvokeMessage): object {
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

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  try {
    // JSON.stringify returns undefined for a missing return value.
    const payload = JSON.stringify(await handler(message.event, makeContext(message))) as
      | string
      | undefined;
    send(payload === undefined ? {} : { payload });
  } catch (error) {
    send({ error: describeError(error) });
  } finally {
    for (const stream of [process.stdout, process.stderr]) stream.write(`${END_OF_LOG}\n`);
  }
}

try {
  const handler = await loadHandler();
  // A process that is killed would leave nothing in it.
  flushCompileCache();
  process.on('message', (message: InvokeMessage) => void invoke(handler, message));
  send({});
} catch (error) {
  send({ error: describeError(error) });
  process.disconnect();
}
