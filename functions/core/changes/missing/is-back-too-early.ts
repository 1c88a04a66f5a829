import type { EntityState } from '../../model/entity-state.ts';
import { isAfter, shiftTimestamp } from '../../model/timestamp.ts';
import type { AnswerAge } from '../list-changes.ts';
import type { ObservedEntity } from '../observed-entity.ts';

/**
 * Whether an entity that was missing is shown by an answer that may be older than that: a copy may lag. Without the
 * service's clock nobody can tell, and the entity counts as back.
 */
export function isBackTooEarly(
  { version, deletedAt }: ObservedEntity,
  state: EntityState | undefined,
  { readAt, lookbackMs }: AnswerAge,
): boolean {
  if (state?.missing !== true || deletedAt !== null || readAt === undefined) return false;
  if (isAfter(version, state.version)) return false;
  return isAfter(state.version, shiftTimestamp(readAt, -lookbackMs));
}
