import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { History } from './history/history.ts';
import type { Row } from './truth.ts';

const HOUR_MS = 3_600_000;
/** So that no run starts just when a state expires: the judge cannot tell on which side it was. */
const ASIDE_MS = 7 * 60_000;

/** How long deleted entities are remembered. A clock that is hours ahead would forget them at once. */
export function retentionOf({ retention }: History): number {
  return retention ? retention.hours * HOUR_MS - ASIDE_MS : 400 * 24 * HOUR_MS;
}

/** Whether a run that started at a time must not know a state that was saved at another. */
export function isForgotten(
  { deleted, pendingEvent, sequence }: EntityState,
  savedAt: number,
  startedAt: number,
  history: History,
): boolean {
  const since = Math.max(savedAt, Date.parse(sequence));
  return deleted && pendingEvent === undefined && since + retentionOf(history) <= startedAt;
}

/** Whether nobody is told any more that an entity is deleted, if it is not known. */
export function isDeletedLongAgo(
  { deleted_at, updated_at }: Row['newest']['object'],
  history: History,
  now: number,
): boolean {
  return Boolean(deleted_at) && Date.parse(String(updated_at)) <= now - retentionOf(history);
}
