import PQueue from 'p-queue';
import type { LeaseGuard } from '../../core/ports/lease-guard.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import { inParallel } from '../shared/batches.ts';
import { IS_ABSENT } from './condition.ts';
import { isFeed, sortKey, statesPk, text, type Item } from './items.ts';
import type { Table } from './table.ts';

/** Feeds whose states are moved concurrently; each holds a page of at most 1 MB. */
const FEEDS_IN_FLIGHT = 16;
/** The digest in the key of an invalid entity tells it from an additional resource called `unusable`. */
const INVALID_KEY = /^unusable#(?=[0-9a-f]{16}$)/;

export interface MigrationOptions {
  readonly guard: LeaseGuard | undefined;
  readonly telemetry: Pick<Telemetry, 'info' | 'warn'> | undefined;
}

/**
 * Brings the feeds of a partition from format 0 to the names of format 1.
 *
 * - Entity states: `known#<feed id>` becomes `state#<feed id>`, and keys `unusable#…` become `invalid#…`.
 * - Poll history: `!plan<nn>` is deleted; the scheduler starts a new one.
 *
 * Every step can be repeated, by the next run after a crash or by another process at the same time.
 * A state is deleted only when it exists under its new key, and never replaces one that is there.
 *
 * @param items the items of the partition.
 */
export async function migrateFeeds(
  table: Table,
  items: readonly Item[],
  options: MigrationOptions,
): Promise<void> {
  const { guard, telemetry } = options;
  const feeds = items.filter(isFeed);
  const fields = { table: table.name, partition: items[0]?.['pk']?.S, feeds: feeds.length };
  const counts = { migratedFeeds: 0, movedStates: 0 };
  try {
    const histories = items.filter((item) => sortKey(item).startsWith('!plan'));
    await table.deleteAll(histories, options.guard);
    await inParallel(feeds, new PQueue({ concurrency: FEEDS_IN_FLIGHT }), async (feed) => {
      guard?.signal.throwIfAborted();
      for await (const moved of moveStates(table, sortKey(feed), options)) {
        counts.movedStates += moved;
        guard?.signal.throwIfAborted();
      }
      counts.migratedFeeds += 1;
    });
    telemetry?.info('A partition of the table was migrated to format 1', { ...fields, ...counts });
  } catch (error) {
    telemetry?.warn('Table migration to format 1 stopped; the next run continues it', {
      ...fields,
      ...counts,
    });
    // An aborted call rejects with its own error; report the reason instead.
    guard?.signal.throwIfAborted();
    throw error;
  }
}

/** Moves the states of a feed page by page, and yields how many of each page were absent before. */
async function* moveStates(
  table: Table,
  feedId: string,
  options: MigrationOptions,
): AsyncGenerator<number> {
  const pk = text(statesPk(feedId));
  for await (const page of table.pages({ pk: `known#${feedId}` }, options.guard)) {
    const isMoved = await table.forEach(page, (item) => {
      const sk = text(sortKey(item).replace(INVALID_KEY, 'invalid#'));
      return table.put({ ...item, pk, sk }, IS_ABSENT, options.guard);
    });
    await table.deleteAll(page, options.guard);
    yield isMoved.filter(Boolean).length;
  }
}
