import type { ChangeEvent } from '../contract/events.ts';
import type { Change } from '../model/change.ts';
import { encodeEvent, type EntityKey, type EntityState } from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { isSilent, type Feed } from '../model/feed.ts';
import type { Timestamp } from '../model/timestamp.ts';
import { diff, inferDelete, type Diff } from './diff.ts';
import { workOn } from './invalid-entity.ts';
import { lastChange } from './last-change.ts';
import { isDropped, originOf, type NestedItem } from './nested.ts';
import type { Identity, ObservedEntity } from './observe.ts';

/** Makes the event of a change. */
export type ToEvent = (change: Change) => ChangeEvent;

/** How the entities of a feed are compared. */
export interface CompareOptions {
  readonly feed: Feed;
  readonly toEvent: ToEvent;
  /** See {@link DiffOptions.longAgo}. */
  readonly longAgo?: Timestamp | undefined;
  /**
   * When the list is read whole, for a reconcile: then a parent that is as old as the mirror's
   * counts as newer, and what an inference deleted is back if it is shown.
   */
  readonly wholeAt?: Timestamp | undefined;
}

/** A change with its event. */
export interface DetectedChange extends Change {
  readonly event: ChangeEvent;
}

/** A state to save, after the change that led to it was published, if there is one. */
export interface Detected {
  readonly state: EntityState;
  readonly change?: DetectedChange;
  /**
   * Whether the state is saved as unpublished first: the service may leave no trace of the change.
   */
  readonly isWrittenAhead: boolean;
}

/** What was found on a page, in the order of the entities. */
export interface Detection {
  readonly detected: readonly Detected[];
  /** Entities of which no event could be made. */
  readonly invalid: readonly InvalidEntity[];
}

/** An entity whose state is loaded, and what is shown of it. */
export interface StoredEntity extends Identity {
  readonly shown?: ObservedEntity;
}

/** Compares the entities of a list. */
export function detectChanges(
  entities: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  options: CompareOptions,
): Detection {
  const compare = (observed: ObservedEntity): Diff =>
    diff(states.get(observed.key), observed, {
      isSilent: isSilent(options.feed, observed.version),
      longAgo: options.longAgo,
      restoredAt: options.wholeAt,
    });
  return detect(entities, compare, options.toEvent, () => false);
}

/** Compares the items of nested lists. */
export function detectItemChanges(
  items: readonly NestedItem[],
  states: ReadonlyMap<EntityKey, EntityState>,
  options: CompareOptions,
): Detection {
  const compare = ({ key, id, shown, from, ...identity }: NestedItem): Diff => {
    const state = states.get(key);
    if (shown === undefined) {
      if (state === undefined || !isDropped(id, from)) return {};
      return inferDelete(state, { ...identity, key, id }, from.parent.version);
    }
    return diff(state, shown, {
      isSilent: isSilent(options.feed, shown.version),
      longAgo: options.longAgo,
      restoredAt: from.isNewer ? from.parent.version : undefined,
    });
  };
  return detect(items, compare, options.toEvent, ({ from }) => from.list.isList);
}

/**
 * The deletes of entities that the service does not know any more.
 *
 * @param time at which that was found.
 */
export function detectDeletes(
  entities: readonly Identity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  toEvent: ToEvent,
  time: Timestamp,
): Detection {
  const compare = (entity: Identity): Diff => {
    const state = states.get(entity.key);
    return state === undefined ? {} : inferDelete(state, entity, time);
  };
  return detect(entities, compare, toEvent, () => true);
}

/**
 * The events of states that were saved ahead of them: as they were, before anything else of their
 * entities.
 */
export function detectUnpublished(
  entities: readonly StoredEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  toEvent: ToEvent,
): Detection {
  const repeat = (entity: StoredEntity): Diff => {
    const found = states.get(entity.key);
    if (found?.unpublished === undefined) return {};
    const { unpublished: _, ...state } = found;
    const change = lastChange(found, entity, entity.shown);
    // What was too large to keep is published with the next change of the entity.
    return typeof change === 'string' ? {} : { change, state };
  };
  return detect(entities, repeat, toEvent, () => false);
}

/** Compares entities one by one. An error in one, also of its event, makes this one invalid. */
function detect<E extends StoredEntity | ObservedEntity | NestedItem>(
  entities: readonly E[],
  compare: (entity: E) => Diff,
  toEvent: ToEvent,
  isWrittenAhead: (entity: E) => boolean,
): Detection {
  const detected: Detected[] = [];
  const invalid: InvalidEntity[] = [];
  for (const entity of entities) {
    const { from }: Partial<NestedItem> = entity;
    const work = (): void => {
      const { change, state } = compare(entity);
      if (state === undefined) return;
      if (change === undefined) {
        detected.push({ state, isWrittenAhead: false });
        return;
      }
      detected.push({
        state: { ...state, event: encodeEvent(change) },
        change: { ...change, event: toEvent(change) },
        isWrittenAhead: isWrittenAhead(entity),
      });
    };
    workOn(valueOf(entity), invalid, work, from && originOf(from));
  }
  return { detected, invalid };
}

/** What goes to the quarantine if it cannot be worked on. */
function valueOf(entity: StoredEntity | ObservedEntity): unknown {
  if ('object' in entity) return entity.object;
  return entity.shown?.object ?? { id: entity.id };
}
