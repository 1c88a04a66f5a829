/**
 * Process of a function, started by the Lambda host. Loads the handler `_HANDLER` from
 * `LAMBDA_TASK_ROOT`, then answers one invocation at a time.
 */
import { existsSync } from 'node:fs';
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

function send(message: ProcessMessage): void {
  process.send?.(message);
}

function readVariable(name: string): string {
  return process.env[name] ?? '';
}

class RuntimeError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

async function loadHandler(): Promise<Handler> {
  const [file = '', name = ''] = readVariable('_HANDLER').split('.');
  const path = ['.js', '.mjs', '.cjs']
    .map((extension) => join(readVariable('LAMBDA_TASK_ROOT'), file + extension))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new RuntimeError('Runtime.ImportModuleError', `Error: Cannot find module '${file}'`);
  }
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const handler = module[name];
  if (typeof handler !== 'function') {
    const message = `${readVariable('_HANDLER')} is undefined or not exported`;
    throw new RuntimeError('Runtime.HandlerNotFound', message);
  }
  return handler as Handler;
}

function makeContext(message: InvokeMessage): object {
  return {
    functionName: readVariable('AWS_LAMBDA_FUNCTION_NAME'),
    functionVersion: readVariable('AWS_LAMBDA_FUNCTION_VERSION'),
    invokedFunctionArn: readVariable('LOCAL_FUNCTION_ARN'),
    memoryLimitInMB: readVariable('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
    awsRequestId: message.requestId,
    logGroupName: readVariable('AWS_LAMBDA_LOG_GROUP_NAME'),
    logStreamName: readVariable('AWS_LAMBDA_LOG_STREAM_NAME'),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, message.deadline - Date.now()),
  };
}

function describeError(thrown: unknown): ErrorPayload {
  if (!(thrown instanceof Error)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  return {
    errorType: thrown.name,
    errorMessage: thrown.message,
    trace: thrown.stack?.split('\n') ?? [],
  };
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId } = message;
  try {
    // JSON.stringify returns undefined for a missing return value.
    const payload = JSON.stringify(await handler(message.event, makeContext(message))) as
      | string
      | undefined;
    send({ type: 'result', requestId, ...(payload !== undefined && { payload }) });
  } catch (error) {
    send({ type: 'error', requestId, error: describeError(error) });
  } finally {
    for (const stream of [process.stdout, process.stderr]) stream.write(`${END_OF_LOG}\n`);
  }
}

try {
  const handler = await loadHandler();
  // A process that is killed would leave nothing in it.
  flushCompileCache();
  process.on('message', (message: InvokeMessage) => void invoke(handler, message));
  send({ type: 'ready' });
} catch (error) {
  send({ type: 'init-error', error: describeError(error) });
  process.disconnect();
}
