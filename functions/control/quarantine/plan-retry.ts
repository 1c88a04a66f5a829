import type { OperatorChange } from '../../core/feeds/operator-change.ts';
import { configuredResource, type Feed } from '../../core/model/feed.ts';
import { hasJob } from '../../core/model/job.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { earliestOf, shiftTimestamp } from '../../core/model/timestamp.ts';
import type { KeptItem } from '../ports.ts';
import type { ListState } from '../protocol.ts';
import { stateOf } from '../report-status.ts';

/** How the items of one list are tried again. */
export interface ListRetry<Item extends KeptItem> {
  readonly feed: Feed;
  readonly items: readonly Item[];
  readonly changes: readonly OperatorChange[];
}

export interface RetryPlan<Item extends KeptItem> {
  readonly lists: readonly ListRetry<Item>[];
  /** Items for which nothing can be done, and why. */
  readonly skipped: readonly { readonly item: Item; readonly reason: string }[];
}

interface PlanContext {
  readonly catalog: Catalog;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  /** Makes the id of jobs. */
  readonly nextId: () => string;
}

/**
 * Plans how items are tried again, list by list:
 *
 * - An entity: its list is rewound to before it, or to its start without a usable `updated_at`. A reconciliation may
 *   end before it has read the whole list, and the item would be forgotten.
 * - An event: the events of its list since then are replayed. The refused one counts as published, so a
 *   rewound list would not make it again.
 *
 * A list has one job at a time: events of a list that has one stay where they are.
 */
export function planRetry<Item extends KeptItem>(
  items: readonly Item[],
  { catalog, feeds, nextId }: PlanContext,
): RetryPlan<Item> {
  const byId = new Map(feeds.map((feed) => [feed.id, feed]));
  const accepted = new Map<Feed, Item[]>();
  const skipped: { item: Item; reason: string }[] = [];
  for (const item of items) {
    const feed = byId.get(item.feed);
    const reason = obstacleTo(item, feed, catalog);
    if (feed !== undefined && reason === undefined)
      accepted.set(feed, [...(accepted.get(feed) ?? []), item]);
    else skipped.push({ item, reason: reason ?? NO_LIST });
  }
  const id = nextId();
  const lists = Array.from(accepted, ([feed, some]) => ({
    ...{ feed, items: some },
    changes: changesFor(some, id),
  }));
  return { lists, skipped };
}

/** States in which a list is read. */
const READ: ReadonlySet<ListState> = new Set(['live', 'baseline', 'waiting']);

const NO_LIST = 'there is no such list any more';

/** @returns why nothing can be done, if so. */
function obstacleTo(
  { kind }: KeptItem,
  feed: Feed | undefined,
  catalog: Catalog,
): string | undefined {
  if (feed === undefined) return NO_LIST;
  if (configuredResource(catalog, feed) === undefined) return 'config has no such list any more';
  if (kind === 'event' && hasJob(feed)) return 'its list has a job: retry it once that is over';
  const state = stateOf(feed, catalog);
  // A replay reads the table alone.
  const isRead = kind === 'event' || READ.has(state);
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
