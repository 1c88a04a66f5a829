import { STATUS_CODES } from 'node:http';
import type { Context } from 'hono';
import * as z from 'zod';
import { ServiceError } from '../service-error.ts';

/** Reads a JSON body; an empty body counts as `{}`. @throws SyntaxError or ZodError for others. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(JSON.parse((await context.req.text()) || '{}'));
}

/** Answers `{ "error": <status in words>, "message": <sentence> }`. */
export function answerError(error: Error, context: Context): Response {
  const status = statusOf(error);
  return context.json({ error: STATUS_CODES[status], message: error.message }, status);
}

function statusOf(error: Error) {
  if (error instanceof ServiceError) return error.status;
  if (error instanceof SyntaxError) return 400;
  return error instanceof z.ZodError ? 422 : 500;
}
