import type { Context } from 'hono';

/** Answers with an error as Lambda does. */
export function answerError(
  context: Context,
  status: 400 | 404 | 429,
  name: string,
  message: string,
): Response {
  return context.json({ Type: 'User', Message: message }, status, { 'x-amzn-errortype': name });
}
