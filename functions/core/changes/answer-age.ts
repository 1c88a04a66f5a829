import { isAfter, laterOf, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/** When a page was read, by the service's clock. */
export interface AnswerAge {
  /** `readAfter` of the page. */
  readonly readAt: Timestamp | undefined;
  /** Maximum lateness of a commit, and age of the copy that answers. */
  readonly lookbackMs: number;
}

/** The versions of an item and its parent that are known, from the store and its outbox. */
export interface KnownVersions {
  readonly parent: Timestamp | undefined;
  readonly item: Timestamp;
}

/**
 * Whether a list of the parent's version certainly shows a later state than the known one. Only then an
 * item that is missing was deleted, or an item that is back was restored: the answer may come from a copy
 * that lags, and two versions may share one `updated_at`.
 *
 * It does if the parent's version is later than the known ones, or if the answer was read the lookback
 * after them. Without the service's clock nobody can tell: then an answer counts as newer unless its versions
 * say otherwise, since no item may be lost.
 */
export function isNewerThanKnown(
  version: Timestamp,
  { parent, item }: KnownVersions,
  { readAt, lookbackMs }: AnswerAge,
): boolean {
  if (readAt === undefined) return parent !== undefined || !isAfter(item, version);
  // An item dated in the future does not tell when it was there.
  const isDatedAhead = isAfter(item, shiftTimestamp(readAt, lookbackMs));
  const known = isDatedAhead ? parent : laterOf(parent, item);
  if (isAfter(version, known)) return true;
  const latest = laterOf(version, known) ?? version;
  return !isAfter(latest, shiftTimestamp(readAt, -lookbackMs));
}
