/**
 * Compares entities with the mirror: finds the states to save, and the changes to publish before
 * those states are saved.
 *
 * - The table in `diff.ts` names the changes; `nested.ts` finds the items of nested lists.
 * - An entity whose comparison or event fails becomes invalid, and its list goes on.
 * - No I/O and no clock: the same entities and states have the same events, with the same ids
 *   (promises 2 and 4 of docs/guarantees.md).
 */
import type { ChangeEvent } from '../contract/events.ts';
import type { Change } from '../model/change.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { diff, inferDelete, type Diff, type DiffOptions } from './diff.ts';
import { lastChange } from './last-change.ts';
import { parentOf, type Observed, type Unseen } from './observe.ts';
import type { Identity } from './place.ts';

/** Makes the event of a change. */
export type ToEvent = (change: Change) => ChangeEvent;

/** A state to save, after the event of the change that led to it, if there is one. */
export interface Detected {
  readonly state: EntityState;
  readonly change: Change | undefined;
  readonly event: ChangeEvent | undefined;
  /** Whether the state is saved before its event: the service may keep no trace of the change. */
  readonly isWrittenAhead: boolean;
}

/** The detected changes, in the order of the entities. */
export interface Detection {
  readonly detected: readonly Detected[];
  /** Entities of which no event could be made. */
  readonly invalid: readonly InvalidEntity[];
}

type States = ReadonlyMap<EntityKey, EntityState>;

/** Compares entities with their states. */
export function detectChanges(
  entities: readonly (Observed | Unseen)[],
  states: States,
  options: DiffOptions,
  toEvent: ToEvent,
): Detection {
  const compare = (entity: Observed | Unseen): Diff | undefined => {
    const state = states.get(entity.key);
    if ('version' in entity) return diff(state, entity, options);
    const { inferredDeleteAt } = entity;
    if (state === undefined || inferredDeleteAt === undefined) return undefined;
    return inferDelete(state, entity, inferredDeleteAt);
  };
  return detect(entities, compare, toEvent);
}

/**
 * The last changes of entities again, as they were. Entities whose content was too large to keep
 * are left out.
 */
export function detectLast(
  entities: readonly Identity[],
  states: States,
  toEvent: ToEvent,
): Detection {
  const repeat = (entity: Identity): Diff | undefined => {
    const state = states.get(entity.key);
    const change = state && lastChange(state, entity);
    return change && { change, state: { ...state, unpublished: undefined } };
  };
  return detect(entities, repeat, toEvent);
}

/** Compares entities one by one. */
function detect<E extends Identity>(
  entities: readonly E[],
  compare: (entity: E) => Diff | undefined,
  toEvent: ToEvent,
): Detection {
  const detected: Detected[] = [];
  const invalid: InvalidEntity[] = [];
  for (const entity of entities) {
    const { place } = entity;
    try {
      const found = compare(entity);
      if (found === undefined) continue;
      const { state, change } = found;
      const event = change && toEvent(change);
      const isWrittenAhead = place.isWrittenAhead === true || state.inferred !== undefined;
      detected.push({ state, change, event, isWrittenAhead });
    } catch (error) {
      // If it were thrown again, it would stop the list at each poll.
      const value = 'object' in entity ? entity.object : { id: entity.id };
      const reason = `the entity could not be processed: ${String(error)}`;
      invalid.push({ value, reason, ...parentOf(place) });
    }
  }
  return { detected, invalid };
}
