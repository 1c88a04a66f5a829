import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { startListening, type LocalServer } from '../embedded/http-server.ts';
import { FunctionError, FunctionThrottledError, type LambdaHost } from './lambda-host.ts';
import type { ErrorPayload } from './protocol.ts';

/** Lambda's limit. */
const MAX_ANSWER_BYTES = 6_291_556;

/**
 * Serves Lambda's operation Invoke on loopback, so that clients of the SDK call local functions.
 *
 * Invocations of one function that no schedule makes wait for each other, where Lambda would start further instances.
 *
 * @param find finds a function by its name or its ARN.
 */
export function startInvokeServer(
  find: (name: string) => Pick<LambdaHost, 'invoke'> | undefined,
  port = 0,
): Promise<LocalServer> {
  const waiting = new Map<string, Promise<unknown>>();
  const app = new Hono();
  app.post('/2015-03-31/functions/:name/invocations', async (context) => {
    const name = decodeURIComponent(context.req.param('name'));
    const found = find(name);
    if (found === undefined) {
      return fail(context, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
    }
    let event: unknown;
    try {
      event = JSON.parse((await context.req.text()) || '{}');
    } catch {
      return fail(context, 400, 'InvalidRequestContentException', 'The payload is not JSON');
    }
    const before = waiting.get(name) ?? Promise.resolve();
    const answered = before.then(() => answer(context, found, event));
    waiting.set(
      name,
      answered.catch(() => undefined),
    );
    return answered;
  });
  app.notFound((context) =>
    fail(context, 404, 'UnknownOperationException', 'Only Invoke is supported'),
  );
  return startListening(createAdaptorServer({ fetch: app.fetch }) as Server, port);
}

/** Answers as Lambda does: an error of the function is an answer with a header. */
async function answer(
  context: Context,
  host: Pick<LambdaHost, 'invoke'>,
  event: unknown,
): Promise<Response> {
  try {
    const answered = JSON.stringify((await host.invoke(event)) ?? null);
    const size = Buffer.byteLength(answered);
    if (size <= MAX_ANSWER_BYTES) return context.body(answered);
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${MAX_ANSWER_BYTES} bytes).`;
    return failFunction(context, { errorType: 'Function.ResponseSizeTooLarge', errorMessage });
  } catch (error) {
    if (error instanceof FunctionThrottledError) {
      return fail(context, 429, error.name, error.message);
    }
    if (!(error instanceof FunctionError)) throw error;
    const { errorType, message, trace } = error;
    const errorMessage = message.slice(`${errorType}: `.length);
    return failFunction(context, { errorType, errorMessage, trace });
  }
}

function failFunction(context: Context, error: Partial<ErrorPayload>): Response {
  return context.json(error, 200, { 'x-amz-function-error': 'Unhandled' });
}

function fail(context: Context, status: 400 | 404 | 429, name: string, message: string): Response {
  return context.json({ Type: 'User', Message: message }, status, { 'x-amzn-errortype': name });
}
