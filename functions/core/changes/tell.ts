import type { ChangeEvent } from '../contract/events.ts';
import type { Change } from '../model/change.ts';
import { encodeTold, type EntityState } from '../model/entity-state.ts';
import type { Diff } from './diff.ts';

/** Makes the event of a change. */
export type ToEvent = (change: Change) => ChangeEvent;

/** A change and the event that tells it. */
export interface ToldChange extends Change {
  readonly event: ChangeEvent;
}

/** A diff whose change has its event. */
export interface ToldDiff {
  readonly change?: ToldChange;
  readonly state?: EntityState;
}

const UNCHANGED: ToldDiff = {};

/**
 * Makes the event at once: an entity without one is invalid, and its state must not be saved. The state keeps what
 * tells it again.
 */
export function tell(diff: Required<Diff>, toEvent: ToEvent): Required<ToldDiff>;
export function tell(diff: Diff, toEvent: ToEvent): ToldDiff;
export function tell({ change, state }: Diff, toEvent: ToEvent): ToldDiff {
  if (change === undefined) return state === undefined ? UNCHANGED : { state };
  const told = { ...change, event: toEvent(change) };
  return { change: told, ...(state && { state: { ...state, told: encodeTold(change) } }) };
}
