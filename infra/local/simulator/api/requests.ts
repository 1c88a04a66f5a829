import { STATUS_CODES } from 'node:http';
import type { Context } from 'hono';
import type { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import { ServiceError } from '../service-error.ts';

/**
 * Reads and validates a JSON body; an empty body counts as `{}`.
 *
 * @throws ServiceError 400 if it is not JSON, 422 if it is invalid.
 */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const text = (await context.req.text()).trim() || '{}';
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ServiceError(400, 'the body must be JSON');
  }
  return validateInput(schema, body);
}

/** @throws ServiceError 422 naming each invalid field, its value and the allowed values. */
export function validateInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message, input }) =>
      `${path.join('.') || 'the body'}: ${message}, got ${quote(input)}`,
  );
  throw new ServiceError(422, problems.join('; '));
}

/** Answers `{ "error": <status in words>, "message": <sentence> }`. */
export function answerError(error: Error, context: Context): Response {
  const status = error instanceof ServiceError ? error.status : 500;
  return context.json({ error: STATUS_CODES[status], message: error.message }, status);
}
