import type { EntityState, Sighting } from '../../model/entity-state.ts';
import { isAfter, type Timestamp } from '../../model/timestamp.ts';

/** When a page was read, by the service's clock. */
export interface AnswerAge {
  /** `readAfter` of the page. */
  readonly readAt: Timestamp | undefined;
  /** `readBefore` of the page. */
  readonly readBefore?: Timestamp | undefined;
  /** `requestedAt` of the page. */
  readonly requestedAt?: Timestamp | undefined;
  /** Maximum lateness of a commit, and age of the copy that answers. */
  readonly lookbackMs: number;
}

/** A version that an answer shows. */
export function sightingOf(version: Timestamp, { readBefore }: AnswerAge): Sighting {
  const isDatedAhead = readBefore !== undefined && isAfter(version, readBefore);
  return { version, ...(isDatedAhead && { seenAt: readBefore }) };
}

/** The state that an answer leads to, with the time of sight. A list may be compared again: the first time counts. */
export function withTimeOfSight(state: EntityState, answer: AnswerAge): EntityState {
  if (state.seenAt !== undefined) return state;
  return { ...state, ...sightingOf(state.version, answer) };
}
