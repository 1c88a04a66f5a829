import type { Context } from 'hono';
import { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import type { Behaviour } from '../behaviour.ts';
import { ServiceError } from '../service-error.ts';
import type { Row } from '../world/entity-list.ts';

/** Spec, "Limits". */
const PER_PAGE_DEFAULT = 50;
const PER_PAGE_MAXIMUM = 1000;

const timestamp = z.iso.datetime({ offset: true });

/**
 * Answers a list GET with one page and its headers (spec, "Pagination rules").
 *
 * @param rows the whole list, in its order.
 * @param shape converts an entity to the request's version.
 * @throws ServiceError 400 for an invalid `last_synced_at` or `Service-Per-Page`.
 */
export function answerPage<T extends Row>(
  context: Context,
  rows: readonly T[],
  shape: (row: T) => object,
  { headers }: Pick<Behaviour, 'headers'>,
): Response {
  const after = readLastSyncedAt(context);
  const found = rows.filter((row) => after === undefined || row.updated_at > after);
  const page = found.slice(0, readPerPage(context, headers.perPage));
  const cursor = page.at(-1)?.updated_at ?? after;
  context.header('X-Count', String(page.length));
  context.header('X-Has-More', String(page.length < found.length));
  if (cursor !== undefined) context.header('X-Last-Synced-At', cursor);
  return context.json(page.map(shape));
}

/** @returns the time in the format of `updated_at`, cut to milliseconds. */
function readLastSyncedAt(context: Context): string | undefined {
  const value = context.req.query('last_synced_at');
  if (value === undefined) return undefined;
  if (timestamp.safeParse(value).success) return new Date(value).toISOString();
  throw new ServiceError(400, `last_synced_at must be an ISO 8601 timestamp, got ${quote(value)}`);
}

/** @returns the requested size of a page, 1000 at most. */
function readPerPage(context: Context, header: string): number {
  const value = context.req.header(header) ?? String(PER_PAGE_DEFAULT);
  if (/^0*[1-9]\d*$/.test(value)) return Math.min(Number(value), PER_PAGE_MAXIMUM);
  throw new ServiceError(400, `${header} must be a whole number from 1 on, got ${quote(value)}`);
}
