import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import { WorldError, type Refusal } from '../world/change-log.ts';

/** A request that cannot be served. Answered as `{ "error": <code>, "message": <sentence> }`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: ContentfulStatusCode;
  /** The status as a word. */
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const STATUS_OF_REFUSAL: Readonly<Record<Refusal, ContentfulStatusCode>> = {
  not_found: 404,
  deleted: 409,
};

/** Answers an error that was thrown while serving a request. */
export function answerError(error: Error, context: Context): Response {
  const problem = toApiError(error);
  return context.json({ error: problem.code, message: problem.message }, problem.status);
}

function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof WorldError) {
    return new ApiError(STATUS_OF_REFUSAL[error.refusal], error.refusal, error.message);
  }
  return new ApiError(500, 'internal', `the simulated service failed: ${error.message}`);
}

/** Answers a path or a method that the service does not have. */
export function answerUnknown(context: Context): Response {
  const { method, path } = context.req;
  return context.json({ error: 'not_found', message: `there is no ${method} ${path}` }, 404);
}

/**
 * Reads and validates a JSON body; an empty body counts as `{}`.
 *
 * @throws ApiError 400 if it is not JSON, 422 if it is invalid.
 */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return validateInput(schema, await readJson(context));
}

/** @throws ApiError 400 if the body is neither empty nor JSON. */
export async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'bad_json', 'the body must be JSON');
  }
}

/** @throws ApiError 422 naming each invalid field, its value and the allowed values. */
export function validateInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const message = result.error.issues.map(describeIssue).join('; ');
  throw new ApiError(422, 'invalid', message);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'the body' : issue.path.join('.');
  return `${field}: ${issue.message}, got ${quote(issue.input)}`;
}
