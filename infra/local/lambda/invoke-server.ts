import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { startListening, type LocalServer } from '../embedded/http-server.ts';
import { answerError } from './answer-error.ts';
import type { LambdaFunctions } from './lambda-functions.ts';
import { FunctionError, FunctionThrottledError, type LambdaHost } from './lambda-host.ts';
import { addMappingRoutes } from './mapping-routes.ts';
import type { ErrorPayload } from './protocol.ts';

/** Lambda's limit. */
const MAX_ANSWER_BYTES = 6_291_556;

/**
 * Serves Lambda's operation Invoke, and those about event source mappings, on loopback, so that clients of the
 * SDK call local functions.
 *
 * Invocations of one function that no schedule makes wait for each other, where Lambda would start further instances.
 *
 * @param functions those that are deployed at the moment.
 */
export function startInvokeServer(
  functions: () => LambdaFunctions,
  port = 0,
): Promise<LocalServer> {
  const waiting = new Map<string, Promise<unknown>>();
  // Clients send the paths of lists with a slash at their end, or without.
  const app = new Hono({ strict: false });
  app.post('/2015-03-31/functions/:name/invocations', async (context) => {
    const name = decodeURIComponent(context.req.param('name'));
    const found = functions().find(name);
    if (found === undefined) {
      return answerError(context, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
    }
    let event: unknown;
    try {
      event = JSON.parse((await context.req.text()) || '{}');
    } catch {
      return answerError(context, 400, 'InvalidRequestContentException', 'The payload is not JSON');
    }
    const before = waiting.get(name) ?? Promise.resolve();
    const answered = before.then(() => answer(context, found, event));
    waiting.set(
      name,
      answered.catch(() => undefined),
    );
    return answered;
  });
  addMappingRoutes(app, functions);
  app.notFound((context) =>
    answerError(
      context,
      404,
      'UnknownOperationException',
      'Only Invoke, and to list, get and update event source mappings, are supported',
    ),
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
      return answerError(context, 429, error.name, error.message);
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
