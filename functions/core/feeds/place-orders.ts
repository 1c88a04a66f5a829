import { idOf } from '../model/entity.ts';
import { feedPartition, type Feed } from '../model/feed.ts';
import {
  accountOf,
  nameOf,
  type Birth,
  type ProjectOrder,
  type ProjectState,
} from '../model/project-state.ts';
import { compareTimestamps, toCanonical } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { StateStore } from '../ports/state-store.ts';
import { silentUntilOf } from './feed-lifecycle.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** The projects feed, and a page of its list. */
export interface ProjectsPage {
  readonly feed: Feed;
  readonly page: Pick<Page, 'readBefore'>;
}

/** The shard that places orders. */
interface PlaceContext {
  readonly partitions: readonly number[];
  readonly registry: FeedRegistry;
  readonly store: Pick<StateStore, 'saveOrders'>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Makes the orders that follow from the projects on a page, and leaves in the table those for other shards and
 * those for the next run. An order is placed before the project's state is saved, or a crash would lose it.
 *
 * @returns the orders to carry out now.
 */
export async function placeOrders(
  projects: readonly ProjectState[],
  projectsPage: ProjectsPage,
  { partitions, registry, store, now }: PlaceContext,
): Promise<readonly ProjectOrder[]> {
  const isOwn = ({ entity }: ProjectState): boolean =>
    partitions.includes(feedPartition({ projectId: idOf(entity) }));
  const isNow = (project: ProjectState): boolean => isOwn(project) && !waits(project, registry);
  // A page is read again until it is caught up: that must not repeat orders for others.
  const isLater = (project: ProjectState): boolean =>
    isOwn(project) ? !isNow(project) : !isSynced(project);
  const toOrder = (project: ProjectState): ProjectOrder => orderFor(project, projectsPage, now);
  const later = projects.filter(isLater);
  for (const { entity } of later.filter(isOwn)) registry.withOrders.add(idOf(entity));
  if (later.length > 0) await store.saveOrders(later.map(toOrder));
  return projects.filter(isNow).map(toOrder);
}

/**
 * Whether an order waits until no list is polled: it may remove the lists of a forgotten past, see removePast, and a poll
 * of one of them, under way, would move the cursor of the list that replaces it. Until the order is carried out, others of
 * the project wait behind it.
 */
function waits({ entity, saved }: ProjectState, registry: FeedRegistry): boolean {
  const projectId = idOf(entity);
  if (registry.withOrders.has(projectId)) return true;
  const wasDeleted = registry
    .ofProject(projectId)
    .some((id) => registry.get(id).parked === 'project-deleted');
  return wasDeleted && saved?.deleted !== true;
}

function orderFor(project: ProjectState, projectsPage: ProjectsPage, now: number): ProjectOrder {
  const { entity, deleted, changed, saved } = project;
  const hasFeeds = saved?.deleted === false;
  return {
    projectId: idOf(entity),
    ...accountOf(entity),
    name: nameOf(entity),
    version: entity.updated_at,
    deleted,
    changed,
    ...(!deleted && !hasFeeds && { birth: birthOf(project, projectsPage, now) }),
  };
}

/** Whether its feeds were synced when this state of it was saved. */
function isSynced({ entity, deleted, saved }: ProjectState): boolean {
  if (saved?.deleted !== deleted) return false;
  return compareTimestamps(toCanonical(entity.updated_at), saved.version) <= 0;
}

function birthOf({ saved }: ProjectState, { feed, page }: ProjectsPage, now: number): Birth {
  const { phase, baselineAt } = feed;
  if (phase === 'baseline') return { phase, ...silentUntilOf(feed, page) };
  const silentUntil = saved?.deleted ? baselineAt : undefined;
  if (silentUntil !== undefined) return { phase: 'baseline', silentUntil };
  return saved === undefined ? { phase, newSince: now } : { phase };
}
