import type { Context } from 'hono';
import { z } from 'zod';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import { parseTimestamp, toFixedWidth } from '../../../../functions/core/model/timestamp.ts';
import type { ServiceBehaviour } from '../behaviour.ts';
import type { Collection, Row } from '../world/collection.ts';
import { ApiError } from './api-error.ts';

/** Spec, "Limits". */
const PER_PAGE_DEFAULT = 50;
const PER_PAGE_MAXIMUM = 1000;

const timestamp = z.iso.datetime({ offset: true });

/** Behaviour that paging depends on. */
type PagingBehaviour = Pick<
  ServiceBehaviour,
  'cursorFilter' | 'emptyPageCursor' | 'headers' | 'perPageOverMaximum' | 'storesMicroseconds'
>;

/**
 * Answers a list GET with one page and its headers (spec, "Pagination rules").
 *
 * @param shape converts an entity to the request's version.
 * @throws ApiError 400 for an invalid `last_synced_at` or `Service-Per-Page`.
 */
export function answerPage<T extends Row>(
  context: Context,
  list: Collection<T>,
  shape: (row: T) => object,
  options: { readonly behaviour: PagingBehaviour; readonly now: number },
): Response {
  const { behaviour, now } = options;
  const requested = context.req.query('last_synced_at');
  const after = readLastSyncedAt(requested);
  const slice = { after, inclusive: behaviour.cursorFilter === '>=' };
  const stored = behaviour.storesMicroseconds &&
    after !== undefined && {
      after: toFixedWidth(parseTimestamp(requested) ?? after),
      storedAs: withMicroseconds,
    };
  const limit = readPerPage(context, behaviour);
  const { rows, hasMore } = list.read({ ...slice, ...stored, limit });

  const emptyPageCursor = { echo: after, now: new Date(now).toISOString(), absent: undefined };
  const cursor = rows.at(-1)?.updated_at ?? emptyPageCursor[behaviour.emptyPageCursor];
  context.header('X-Count', String(rows.length));
  context.header('X-Has-More', String(hasMore));
  if (cursor !== undefined) context.header('X-Last-Synced-At', cursor);
  return context.json(rows.map(shape));
}

function readLastSyncedAt(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!timestamp.safeParse(value).success) {
    throw new ApiError(
      400,
      'bad_last_synced_at',
      `last_synced_at must be an ISO 8601 timestamp such as 2024-05-01T10:00:00.000Z, got ${quote(value)}`,
    );
  }
  return new Date(value).toISOString();
}

/** The time by which an entity is filtered. Ids order entities of one time, and so do these. */
function withMicroseconds({ id, updated_at }: Row): string {
  const microseconds = Math.floor((Number.parseInt(id.slice(0, 4), 16) / 0x1_0000) * 1000);
  return toFixedWidth(updated_at.replace('Z', `${String(microseconds).padStart(3, '0')}Z`));
}

function readPerPage(
  context: Context,
  { headers, perPageOverMaximum: over }: Pick<PagingBehaviour, 'headers' | 'perPageOverMaximum'>,
): number {
  const value = context.req.header(headers.perPage);
  if (value === undefined) return PER_PAGE_DEFAULT;
  const perPage = /^\d+$/.test(value) ? Number(value) : 0;
  if (perPage < 1 || (perPage > PER_PAGE_MAXIMUM && over === 'reject')) {
    throw new ApiError(
      400,
      'bad_per_page',
      `${headers.perPage} must be a whole number from 1 to ${PER_PAGE_MAXIMUM}, ` +
        `got ${quote(value)}`,
    );
  }
  return Math.min(perPage, PER_PAGE_MAXIMUM);
}
