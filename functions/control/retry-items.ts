import type { OperatorChange } from '../core/feeds/operator-change.ts';
import { configuredResource, type Feed } from '../core/model/feed.ts';
import { hasJob } from '../core/model/job.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { earliestOf, shiftTimestamp } from '../core/model/timestamp.ts';
import { newJobId, writeFeed } from './change-feeds.ts';
import type { FeedStore, KeptItem, QuarantineOperations } from './ports.ts';
import { stateOf } from './status.ts';

const HAS_JOB = 'its list has a job: retry it once that is over';

interface RetryContext {
  readonly catalog: Catalog;
  readonly store: FeedStore;
  readonly quarantine: Pick<QuarantineOperations, 'delete'>;
  readonly now: () => number;
  /** Whether nothing is to be changed. */
  readonly isDry: boolean;
}

interface Retried<Item> {
  readonly retried: readonly Item[];
  /** Items that stay in the quarantine, and why. */
  readonly skipped: readonly { readonly item: Item; readonly reason: string }[];
}

/**
 * Tries items of the quarantine again, list by list, and removes them from it:
 *
 * - Entities: their list is rewound to before them; to its start if one has no usable `updated_at`.
 *   A reconcile may end before it has read the whole list, and the entity would be forgotten.
 * - Events: those of their list since then are replayed. The refused ones count as published, so a
 *   rewound list would not make them again.
 *
 * A list has one job at a time: events of a list that has one, or gets one meanwhile, stay where
 * they are. An item that cannot be deleted is still there for the next retry.
 *
 * @param feeds all feeds.
 */
export async function retryItems<Item extends KeptItem>(
  items: readonly Item[],
  feeds: readonly Feed[],
  { catalog, store, quarantine, now, isDry }: RetryContext,
): Promise<Retried<Item>> {
  const byId = new Map(feeds.map((feed) => [feed.id, feed]));
  const retried: Item[] = [];
  const skipped: { item: Item; reason: string }[] = [];
  for (const [list, some] of Map.groupBy(items, ({ feed }) => feed)) {
    const feed = byId.get(list);
    const accepted: Item[] = [];
    for (const item of some) {
      const reason = obstacleTo(item, feed, catalog);
      if (reason === undefined) accepted.push(item);
      else skipped.push({ item, reason });
    }
    let isTaken = false;
    const write = async (isForced: boolean): Promise<void> => {
      if (feed === undefined || isDry) return;
      for (const change of changesFor(accepted, newJobId(now()))) {
        const latest = await store.loadFeedsById([feed]);
        const isWritten = await writeFeed(latest.get(list) ?? feed, change, store, isForced);
        isTaken ||= change.command === 'replay' && !isWritten;
      }
    };
    // Before: a failed write keeps the items. After: a poll meanwhile saw them still there.
    await write(false);
    const kept = accepted.filter(({ kind }) => isTaken && kind === 'event');
    const tried = accepted.filter((item) => !kept.includes(item));
    skipped.push(...kept.map((item) => ({ item, reason: HAS_JOB })));
    retried.push(...tried);
    if (!isDry) await quarantine.delete(tried.map(({ subject }) => subject));
    await write(true);
  }
  return { retried, skipped };
}

/** @returns why an item cannot be tried again, if so. */
function obstacleTo(
  { kind }: KeptItem,
  feed: Feed | undefined,
  catalog: Catalog,
): string | undefined {
  if (feed === undefined) return 'there is no such list any more';
  if (configuredResource(catalog, feed) === undefined) return 'config has no such list any more';
  // A replay reads the table alone.
  if (kind === 'event') {
    return hasJob(feed) ? HAS_JOB : undefined;
  }
  const state = stateOf(feed, catalog);
  const isRead = state === 'live' || state === 'baseline' || state === 'waiting';
  return isRead ? undefined : `its list is not polled: ${state}`;
}

/** The changes of a list for its items. */
function changesFor(items: readonly KeptItem[], id: string): OperatorChange[] {
  const entities = items.filter(({ kind }) => kind === 'entity');
  const events = items.filter(({ kind }) => kind === 'event');
  const since = earliestOf(events.map(({ version }) => shiftTimestamp(version, -1)));
  const changes: OperatorChange[] = [];
  if (entities.length > 0) changes.push(rewindBefore(entities));
  if (since !== undefined) changes.push({ command: 'replay', id, since });
  return changes;
}

/** To before all of the entities, or to the start of their list. */
function rewindBefore(entities: readonly KeptItem[]): OperatorChange {
  const times = entities.flatMap(({ listedAt }) => listedAt ?? []);
  const from = times.length < entities.length ? undefined : earliestOf(times);
  return { command: 'rewind', ...(from !== undefined && { to: shiftTimestamp(from, -1) }) };
}
