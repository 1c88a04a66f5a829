import type { EntityState } from '../../model/entity-state.ts';
import { compareTimestamps } from '../../model/timestamp.ts';
import type { ObservedEntity } from '../observed-entity.ts';
import type { AnswerAge } from './answer-age.ts';
import { isBackTooEarly } from './is-back-too-early.ts';

/** Whether an answer shows an entity as it was before its state. One that is back may be older than its absence. */
export function isStale(observed: ObservedEntity, state: EntityState, answer: AnswerAge): boolean {
  if (state.missing === true && observed.deletedAt === null)
    return isBackTooEarly(observed, state, answer);
  return compareTimestamps(observed.version, state.version) < 0;
}
