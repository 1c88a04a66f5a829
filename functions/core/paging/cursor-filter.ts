import { shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/**
 * Whether `last_synced_at` shows what changed exactly then (`inclusive`) or only what changed later.
 * The spec does not say; it is found out.
 */
export type CursorFilter = 'inclusive' | 'exclusive';

/** What was found out, by resource name; remembered for the rest of a run. */
export type CursorFilters = Map<string, CursorFilter>;

/** From where on all is shown that is later than a time, and what shares it if the filter hides that. */
export function startAfter(time: Timestamp, filter: CursorFilter | undefined): Timestamp {
  return filter === 'exclusive' ? shiftTimestamp(time, -1) : time;
}
