import { newFeed, type Feed } from '../model/feed.ts';
import type { ProjectOrder } from '../model/project-state.ts';
import type { Catalog, Resource } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** The effect of added and removed projects on the feeds. */
export interface SyncedFeeds {
  /** Ids of feeds to poll in this run: new, resumed or just parked. */
  readonly due: readonly string[];
  readonly parkedCount: number;
}

/**
 * Adds, parks and resumes the feeds of projects. The projects' states decide, not their changes, so that
 * an order that is carried out again after a crash has the same effect.
 *
 * - A project without feeds gets them in the phase of the projects feed: baseline during its first pass,
 *   then live, so that their content is emitted as `created`.
 * - A project that was deleted whenever it was seen, and is restored, gets them in a baseline of its own:
 *   only what changed since the first baseline is emitted.
 * - The feeds of a deleted project are parked. They are polled once more in this run, for changes just
 *   before the deletion, and then rarely.
 * - The feeds of a restored project continue from their cursors. A refused feed is retried at once when
 *   its project changed.
 */
export async function syncProjects(
  orders: readonly ProjectOrder[],
  catalog: Catalog,
  registry: FeedRegistry,
): Promise<SyncedFeeds> {
  const added = orders.flatMap((order) =>
    catalog.perProject
      .flatMap((resource) => newFeedOf(order, resource))
      .filter((feed) => !registry.has(feed.id)),
  );
  await registry.add(added);
  const due = added.map(({ id }) => id);
  let parkedCount = 0;
  for (const order of orders) {
    // Including lists that config has removed: they may come back later.
    for (const id of registry.ofProject(order.projectId)) {
      await registry.commit(id, (feed) => {
        const synced = syncFeed(feed, order);
        if (synced.parked !== feed.parked || synced.notBefore !== feed.notBefore) due.push(id);
        if (synced.parked !== undefined && feed.parked === undefined) parkedCount += 1;
        return synced;
      });
    }
  }
  return { due, parkedCount };
}

/** Orders that are carried out before they are deleted. */
const ORDERS_AT_ONCE = 25;

/**
 * Carries out the orders that lay in the table, and deletes them, some at a time: what a run has no time for is left to
 * the next one.
 *
 * @returns the number of feeds that were parked.
 */
export async function carryOutOrders(
  orders: readonly ProjectOrder[],
  options: {
    readonly catalog: Catalog;
    readonly registry: FeedRegistry;
    readonly store: Pick<StateStore, 'deleteOrders'>;
  },
): Promise<number> {
  const { catalog, registry, store } = options;
  let count = 0;
  for (let start = 0; start < orders.length; start += ORDERS_AT_ONCE) {
    const some = orders.slice(start, start + ORDERS_AT_ONCE);
    const { parkedCount } = await syncProjects(some, catalog, registry);
    await store.deleteOrders(some);
    count += parkedCount;
  }
  return count;
}

function newFeedOf(order: ProjectOrder, resource: Resource): Feed[] {
  const { projectId, birth } = order;
  if (birth === undefined) return [];
  return [{ ...newFeed(resource, birth.phase, { ...accountIn(order), id: projectId }), ...birth }];
}

function syncFeed(feed: Feed, order: ProjectOrder): Feed {
  const owned = { ...feed, ...accountIn(order) };
  if (order.deleted) {
    if (feed.parked === 'project-deleted') return owned;
    return { ...owned, parked: 'project-deleted', failures: 0, notBefore: 0 };
  }
  if (feed.parked === 'project-deleted') {
    const { parked, slowFailures, ...resumed } = owned;
    return { ...resumed, failures: 0, notBefore: 0 };
  }
  return feed.parked === 'refused' && order.changed ? { ...owned, notBefore: 0 } : owned;
}

function accountIn({ accountId }: ProjectOrder): Pick<ProjectOrder, 'accountId'> {
  return accountId === undefined ? {} : { accountId };
}
