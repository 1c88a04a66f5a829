import { entityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** Projects that are forgotten, by id. Their lists are not polled any more: some of their states may be removed. */
export type ForgottenProjects = ReadonlySet<string>;

/**
 * Milliseconds after the end of a retention until lists are removed: more than a run takes, and than clocks differ. A run
 * of another shard that began before the end still knows the project, and may tell that it is restored.
 */
const GRACE_MS = 86_400_000;

/** Milliseconds until lists that are parked may be those of a past that is forgotten: more than clocks differ. */
const MIN_PARKED_MS = 600_000;

/** The projects whose lists are to be removed, and whose own state is forgotten. */
export async function findForgotten(
  registry: FeedRegistry,
  store: Pick<StateStore, 'loadStates'>,
  { projects }: Catalog,
  forgottenBefore: Timestamp,
): Promise<ForgottenProjects> {
  const before = shiftTimestamp(forgottenBefore, -GRACE_MS);
  const ids = new Set(
    registry.all().flatMap((feed) => (isParked(feed) ? [feed.projectId ?? ''] : [])),
  );
  const due = [...ids].filter((id) => areQuietSince(feedsOf(id, registry), before));
  if (due.length === 0) return new Set();
  const keyOf = (id: string) => entityKey(projects.entity, id);
  const states = await store.loadStates(projects.path.slice(1), due.map(keyOf));
  return new Set(due.filter((id) => !states.has(keyOf(id))));
}

/** Whether a list is not polled any more: not one that its project got when it was restored after it was forgotten. */
export function waitsForRemoval(feed: Feed, forgotten: ForgottenProjects): boolean {
  return isParked(feed) && forgotten.has(feed.projectId ?? '');
}

/**
 * Removes the lists of a project that is forgotten, and all states of these lists. Not if one of them has changed since:
 * the service may lose a project for a while, and have it back as it was.
 *
 * @throws DeadlineReachedError when the run has to stop: the next one goes on.
 */
export async function removeForgotten(
  projectId: string,
  registry: FeedRegistry,
  forgottenBefore: Timestamp,
): Promise<void> {
  const feeds = feedsOf(projectId, registry);
  if (areQuietSince(feeds, shiftTimestamp(forgottenBefore, -GRACE_MS)))
    await remove(feeds, registry);
}

/**
 * Removes the lists that a new project had in a past that is forgotten, and all states of these lists: its content is
 * told again, as it is. An order that came late may only seem to be of a new project: then they are parked anew.
 * What changed in them since they were parked does not matter.
 *
 * @param newSince see {@link Birth.newSince}.
 * @param now milliseconds since 1970.
 * @throws DeadlineReachedError when the run has to stop: the next one goes on.
 */
export async function removePast(
  projectId: string,
  registry: FeedRegistry,
  newSince: number,
  now: number,
): Promise<void> {
  const limit = Math.min(newSince, now - MIN_PARKED_MS);
  const feeds = feedsOf(projectId, registry);
  const wasParked = ({ parkedAt, deletedSince = Infinity }: Feed): boolean =>
    (parkedAt ?? deletedSince) <= limit;
  if (areParked(feeds) && feeds.every(wasParked)) await remove(feeds, registry);
}

async function remove(feeds: readonly Feed[], registry: FeedRegistry): Promise<void> {
  for (const { id } of feeds) await registry.remove(id);
}

/** Whether lists are parked, and none has changed since. */
function areQuietSince(feeds: readonly Feed[], time: Timestamp): boolean {
  const limit = Date.parse(time);
  return areParked(feeds) && feeds.every(({ deletedSince = Infinity }) => deletedSince <= limit);
}

/** Where one is not parked, a run has died that resumed them one by one. */
function areParked(feeds: readonly Feed[]): boolean {
  return feeds.every(isParked);
}

function feedsOf(projectId: string, registry: FeedRegistry): readonly Feed[] {
  return registry.ofProject(projectId).map((id) => registry.get(id));
}

function isParked({ parked }: Feed): boolean {
  return parked === 'project-deleted';
}
