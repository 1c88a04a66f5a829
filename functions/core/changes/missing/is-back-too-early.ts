import type { EntityState } from '../../model/entity-state.ts';
import { isAfter, laterOf, shiftTimestamp } from '../../model/timestamp.ts';
import type { ObservedEntity } from '../observed-entity.ts';
import type { AnswerAge } from './answer-age.ts';

/** The clocks of our hosts differ by less. */
const MAX_AHEAD_MS = 300_000;
/** An entity may have gone as much later than its delete says: that time is `Date`, cut to seconds, less the time that an answer took. */
const MAX_GONE_LATER_MS = 11_000;

/**
 * Whether an entity that was missing is shown by an answer that may be older than that: a copy may lag. A later version proves
 * nothing, since the clock that it is from may be ahead. Without the service's clock ours tells, unless it was far ahead when
 * the entity was gone: then the entity counts as back.
 */
export function isBackTooEarly(
  { deletedAt }: ObservedEntity,
  state: EntityState | undefined,
  { readAt, requestedAt, lookbackMs }: AnswerAge,
): boolean {
  const shownAt = readAt ?? requestedAt;
  if (state?.missing !== true || deletedAt !== null || shownAt === undefined) return false;
  // While its delete is in the outbox, only the sequence of that tells when it was gone.
  const goneAt = laterOf(state.version, state.sequence);
  if (readAt === undefined && isAfter(goneAt, shiftTimestamp(shownAt, MAX_AHEAD_MS))) return false;
  return isAfter(goneAt, shiftTimestamp(shownAt, -lookbackMs - MAX_GONE_LATER_MS));
}
