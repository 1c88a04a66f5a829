import type { EntityKey, EntityState } from '../../model/entity-state.ts';
import type { Entity, InvalidEntity } from '../../model/entity.ts';
import { feedPath, isProjectsFeed, type Feed } from '../../model/feed.ts';
import type { ProjectState } from '../../model/project-state.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import { isAfter, laterOf, type Timestamp } from '../../model/timestamp.ts';
import type { ChildVersion } from '../../ports/state-store.ts';
import { diffMissing } from '../diff.ts';
import { workOn } from '../invalid-entity.ts';
import { addToOutbox, isPending, replayFromOutbox } from '../outbox.ts';
import type { PageChanges } from '../page/page-changes.ts';
import { tell, type ToEvent, type ToldChange } from '../tell.ts';

/** A part of a list that was read: all entities whose version is later than `from`, and no later than `to`. */
export interface ListWindow {
  /** Absent: the start of the list. */
  readonly from?: Timestamp | undefined;
  readonly to: Timestamp;
}

/** Whether a version lies in a window. */
export function isInWindow(version: Timestamp, { from, to }: ListWindow): boolean {
  return isAfter(version, from) && !isAfter(version, to);
}

/** Known entities of a window that the list did not show, and those whose delete may be untold. */
export function missingFrom(
  shown: ReadonlySet<EntityKey>,
  known: readonly ChildVersion[],
): ChildVersion[] {
  return known.filter(({ key }) => !shown.has(key));
}

/** The list of entities that the service does not know any more. */
export interface MissingContext {
  readonly feed: Feed;
  readonly resource: Resource;
  /** When the service knew none of them any more, by its clock, or by ours if it sends no `Date`. */
  readonly goneBy: Timestamp | undefined;
  readonly toEvent: ToEvent;
}

/** The changes of entities that the service does not know any more: `deleted`, with their last known content. */
export function detectMissing(
  states: readonly EntityState[],
  { feed, resource, goneBy, toEvent }: MissingContext,
): PageChanges {
  const own: EntityState[] = [];
  const items: EntityState[] = [];
  const changes: ToldChange[] = [];
  const invalid: InvalidEntity[] = [];
  const projects: ProjectState[] = [];
  for (const saved of states) {
    const id = idIn(saved.key);
    workOn({ id }, invalid, () => {
      const subject = `${feedPath(resource, feed.projectId)}/${id}`;
      const identity = { key: saved.key, entity: resource.entity, id, subject };
      const found = isPending(saved)
        ? (replayFromOutbox(saved, identity) ?? {})
        : diffMissing(saved, identity, goneBy);
      const { change, state } = tell(found, toEvent);
      if (change === undefined || state === undefined) return;
      changes.push(change);
      // Its sequence is of this time: a repeat after a crash must have the same.
      if (!isPending(saved)) items.push(...addToOutbox({ change, state }));
      own.push({ ...state, version: laterOf(saved.version, goneBy) ?? saved.version });
      const entity: Entity = { ...change.object, id, updated_at: saved.version };
      // Its lists may be polled still, though a run has saved its delete that was not published.
      projects.push({ entity, deleted: true, changed: true, saved: { ...saved, deleted: false } });
    });
  }
  return {
    outbox: { parents: [], items },
    changes,
    invalid,
    states: { nested: [], own },
    projects: isProjectsFeed(feed) ? projects : [],
    isNews: own.length + invalid.length > 0,
    isUndecided: false,
    readAgainFrom: undefined,
    boundary: undefined,
    isLast: true,
  };
}

/** The id of an entity of the list. */
export function idIn(key: EntityKey): string {
  return key.slice(key.indexOf('#') + 1);
}
