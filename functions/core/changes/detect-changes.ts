/**
 * Compares entities with the mirror: finds the states to save, and the changes to publish before
 * those states are saved.
 *
 * - What counts as a change: the table in `diff.ts`. Nested lists: `nested.ts`.
 * - An entity whose comparison, or whose event, fails becomes invalid: its list goes on.
 * - It does no I/O. So the same entities and states have the same events, however often they are
 *   compared: nothing is lost, and each change has one id.
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
  /** Whether its place or the change asks for it: an inferred change leaves no trace. */
  readonly isWrittenAhead: boolean;
}

/** What was found, in the order of the entities. */
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
    const loaded = states.get(entity.key);
    if (loaded === undefined) return undefined;
    const { unpublished: _, ...state } = loaded;
    const change = lastChange(loaded, entity);
    return change && { change, state };
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
      // It would stop its list again on each poll.
      const value = 'object' in entity ? entity.object : { id: entity.id };
      const reason = `the entity could not be processed: ${String(error)}`;
      invalid.push({ value, reason, ...parentOf(place) });
    }
  }
  return { detected, invalid };
}
