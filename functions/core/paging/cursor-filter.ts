import { shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/**
 * Whether `last_synced_at` includes entities of exactly that time (`>=`) or only later ones (`>`).
 * The spec does not say; {@link Paginator} detects it.
 */
export type CursorFilter = 'inclusive' | 'exclusive';

/** Detected filters by resource name; kept for the rest of a run. */
export type CursorFilters = Map<string, CursorFilter>;

/** The cursor that shows everything later than `time`, and its ties if the filter would hide them. */
export function startAfter(time: Timestamp, filter: CursorFilter | undefined): Timestamp {
  return filter === 'exclusive' ? shiftTimestamp(time, -1) : time;
}
