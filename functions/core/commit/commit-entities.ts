import { detectChanges, type Detection } from '../changes/detect-changes.ts';
import { findItems, listsToCompare, type ObservedList } from '../changes/nested.ts';
import type { Unseen, Observed, ObservedPage } from '../changes/observe.ts';
import { syncProjects } from '../feeds/sync-projects.ts';
import { chunksOf } from '../model/chunks.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { isProjectsFeed } from '../model/feed.ts';
import { isoTime, type Timestamp } from '../model/timestamp.ts';
import type { CommitTarget } from './commit-context.ts';
import { eventMakerOf } from './event-maker.ts';
import { projectStates } from './project-states.ts';
import { loadStates, publishAndSave } from './publish.ts';
import { quarantineEntities } from './quarantine-entity.ts';

/** Nested items that are compared and saved at once: a page may hold any number. */
const GROUP_SIZE = 1000;

/** The outcome of a commit. */
export interface Found {
  /** Times of the changes. */
  readonly times: Timestamp[];
  /** Whether the mirror lacked an entity or a version. */
  isNews: boolean;
  hasInvalid: boolean;
}

/**
 * Compares the entities of a page with their states, publishes changes and saves states: items
 * before their parents. The feed stays as it is.
 */
export async function commitEntities(page: ObservedPage, target: CommitTarget): Promise<Found> {
  const { entities, invalid } = page;
  const found: Found = { times: [], isNews: false, hasInvalid: false };
  await quarantineInvalid(invalid, target, found);
  const states = await loadStates(entities, target);
  await commitItems(listsToCompare(entities, states), target, found);
  await commitChanges(entities, states, target, found);
  return found;
}

/** Commits the deletes of entities that the service does not know any more. */
export async function commitMissing(
  entities: readonly Unseen[],
  target: CommitTarget,
): Promise<void> {
  const states = await loadStates(entities, target);
  await commitChanges(entities, states, target, { times: [], isNews: false, hasInvalid: false });
}

/** Commits the items of nested lists. */
async function commitItems(
  lists: readonly ObservedList[],
  target: CommitTarget,
  found: Found,
): Promise<void> {
  const { feed, run } = target;
  const { ports, options } = run;
  const shown = await Promise.all(lists.map((list) => findItems(list, feed.id, ports.store)));
  await quarantineInvalid(
    shown.flatMap(({ invalid }) => invalid),
    target,
    found,
  );
  const items = shown.flatMap((each) => each.items);
  for (const some of chunksOf(items, options.groupSize ?? GROUP_SIZE)) {
    const states = await loadStates(some, target);
    const { invalid } = await commitChanges(some, states, target, found);
    if (invalid.length > 0) for (const { list } of lists) list.digest = undefined;
  }
}

/** Compares entities with their states, and commits the differences. */
async function commitChanges(
  entities: readonly (Observed | Unseen)[],
  states: ReadonlyMap<EntityKey, EntityState>,
  target: CommitTarget,
  found: Found,
): Promise<Detection> {
  const { feed, run } = target;
  const longAgo = isoTime(run.ports.clock.now() - run.options.retentionMs);
  const changes = detectChanges(entities, states, { feed, longAgo }, eventMakerOf(target));
  const { detected, invalid } = changes;
  await quarantineInvalid(invalid, target, found);
  found.isNews ||= detected.length > 0;
  for (const { change } of detected) if (change !== undefined) found.times.push(change.time);
  // Before the states of projects: a project with a state has its feeds. They are polled after its
  // event.
  const due = isProjectsFeed(feed)
    ? await syncProjects(projectStates(entities, states, changes), target, run.registry)
    : [];
  await publishAndSave(detected, target);
  target.onDue?.(due);
  return changes;
}

async function quarantineInvalid(
  invalid: readonly InvalidEntity[],
  target: CommitTarget,
  found: Found,
): Promise<void> {
  const newCount = await quarantineEntities(invalid, target);
  found.hasInvalid ||= invalid.length > 0;
  found.isNews ||= newCount > 0;
}
