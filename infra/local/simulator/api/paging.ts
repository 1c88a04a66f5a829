import type { Context } from 'hono';
import * as z from 'zod';
import type { Behaviour } from '../behaviour.ts';
import type { Row } from '../world/entity-list.ts';

/** Spec, "Limits". */
const PER_PAGE_DEFAULT = 50;
const PER_PAGE_MAXIMUM = 1000;

/** In the format of `updated_at`, cut to milliseconds. */
const lastSyncedAt = z.iso
  .datetime({ offset: true })
  .transform((time) => new Date(time).toISOString())
  .optional();
const perPage = z.coerce.number().int().min(1).default(PER_PAGE_DEFAULT);

/**
 * Answers a list GET with one page and its headers (spec, "Pagination rules").
 *
 * @param rows the whole list, in its order.
 * @param shape converts an entity to the request's version.
 * @throws ZodError for an invalid `last_synced_at` or `Service-Per-Page`.
 */
export function answerPage<T extends Row>(
  context: Context,
  rows: readonly T[],
  shape: (row: T) => object,
  { headers }: Pick<Behaviour, 'headers'>,
): Response {
  const after = lastSyncedAt.parse(context.req.query('last_synced_at'));
  const found = rows.filter((row) => after === undefined || row.updated_at > after);
  const size = perPage.parse(context.req.header(headers.perPage));
  const page = found.slice(0, Math.min(size, PER_PAGE_MAXIMUM));
  const cursor = page.at(-1)?.updated_at ?? after;
  context.header('X-Count', String(page.length));
  context.header('X-Has-More', String(page.length < found.length));
  if (cursor !== undefined) context.header('X-Last-Synced-At', cursor);
  return context.json(page.map(shape));
}
