import { idOf } from '../model/entity.ts';
import { feedPartition, type Feed } from '../model/feed.ts';
import {
  accountOf,
  type Birth,
  type ProjectOrder,
  type ProjectState,
} from '../model/project-state.ts';
import { compareTimestamps, toCanonical } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { StateStore } from '../ports/state-store.ts';
import { silentUntilOf } from './feed-lifecycle.ts';

/** The projects feed, and a page of its list. */
export interface ProjectsPage {
  readonly feed: Feed;
  readonly page: Pick<Page, 'readBefore'>;
}

/** The shard that places orders. */
interface PlaceContext {
  readonly partitions: readonly number[];
  readonly store: Pick<StateStore, 'saveOrders'>;
}

/**
 * Makes the orders that follow from the projects on a page, and leaves in the table those for other shards. An order
 * is placed before the project's state is saved, or a crash would lose it.
 *
 * @returns the orders to carry out now.
 */
export async function placeOrders(
  projects: readonly ProjectState[],
  projectsPage: ProjectsPage,
  { partitions, store }: PlaceContext,
): Promise<readonly ProjectOrder[]> {
  const isOwn = ({ entity }: ProjectState): boolean =>
    partitions.includes(feedPartition({ projectId: idOf(entity) }));
  const toOrder = (project: ProjectState): ProjectOrder => orderFor(project, projectsPage);
  // A page is read again until it is caught up: that must not repeat orders for others.
  const forOthers = projects.filter((project) => !isOwn(project) && !isSynced(project));
  if (forOthers.length > 0) await store.saveOrders(forOthers.map(toOrder));
  return projects.filter(isOwn).map(toOrder);
}

function orderFor(project: ProjectState, projectsPage: ProjectsPage): ProjectOrder {
  const { entity, deleted, changed, saved } = project;
  const hasFeeds = saved?.deleted === false;
  return {
    projectId: idOf(entity),
    ...accountOf(entity),
    version: entity.updated_at,
    deleted,
    changed,
    ...(!deleted && !hasFeeds && { birth: birthOf(project, projectsPage) }),
  };
}

/** Whether its feeds were synced when this state of it was saved. */
function isSynced({ entity, deleted, saved }: ProjectState): boolean {
  if (saved?.deleted !== deleted) return false;
  return compareTimestamps(toCanonical(entity.updated_at), saved.version) <= 0;
}

function birthOf({ saved }: ProjectState, { feed, page }: ProjectsPage): Birth {
  const { phase, baselineAt } = feed;
  if (phase === 'baseline') return { phase, ...silentUntilOf(feed, page) };
  const silentUntil = saved?.deleted ? baselineAt : undefined;
  return silentUntil === undefined ? { phase } : { phase: 'baseline', silentUntil };
}
