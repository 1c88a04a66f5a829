import { feedPartition, type Feed } from '../model/feed.ts';
import {
  accountOf,
  nameOf,
  type Birth,
  type ProjectOrder,
  type ProjectState,
} from '../model/project-state.ts';
import { compareTimestamps } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { StateStore } from '../ports/state-store.ts';
import { silentUntilOf } from './feed-lifecycle.ts';

/** The projects feed, and a page of its list. */
export interface ProjectsPage {
  readonly feed: Feed;
  readonly page: Pick<Page, 'readAfter'>;
}

/**
 * Makes the orders that follow from the projects on a page, and leaves those for other shards in the table.
 * An order is placed before the project's state is saved, or a crash would lose it.
 *
 * @param partitions those of this shard.
 * @returns the orders for feeds of this shard.
 */
export async function placeOrders(
  projects: readonly ProjectState[],
  projectsPage: ProjectsPage,
  partitions: readonly number[],
  store: StateStore,
): Promise<readonly ProjectOrder[]> {
  const isOwn = ({ entity }: ProjectState): boolean =>
    partitions.includes(feedPartition({ projectId: entity.id }));
  const toOrder = (project: ProjectState): ProjectOrder => orderFor(project, projectsPage);
  // A page is read again until it is caught up: that must not repeat orders.
  const others = projects.filter((project) => !isOwn(project) && !isSynced(project));
  if (others.length > 0) await store.saveOrders(others.map(toOrder));
  return projects.filter(isOwn).map(toOrder);
}

function orderFor(project: ProjectState, projectsPage: ProjectsPage): ProjectOrder {
  const { entity, deleted, changed, saved } = project;
  const hasFeeds = saved?.deleted === false;
  return {
    projectId: entity.id,
    ...accountOf(entity),
    name: nameOf(entity),
    version: entity.updated_at,
    deleted,
    changed,
    ...(!deleted && !hasFeeds && { birth: birthOf(project, projectsPage) }),
  };
}

/** Whether its feeds were synced when this state of it was saved. */
function isSynced({ entity, deleted, saved }: ProjectState): boolean {
  if (saved?.deleted !== deleted) return false;
  return compareTimestamps(entity.updated_at, saved.version) <= 0;
}

function birthOf({ saved }: ProjectState, { feed, page }: ProjectsPage): Birth {
  const { phase, baselineAt } = feed;
  if (phase === 'baseline') return { phase, ...silentUntilOf(feed, page) };
  const silentUntil = saved?.deleted ? baselineAt : undefined;
  if (silentUntil !== undefined) return { phase: 'baseline', silentUntil };
  return saved === undefined ? { phase, isNew: true } : { phase };
}
