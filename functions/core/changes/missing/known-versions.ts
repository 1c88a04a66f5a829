import {
  markedVersion,
  PARENT,
  type EntityState,
  type Sighting,
} from '../../model/entity-state.ts';
import {
  compareTimestamps,
  isAfter,
  laterOf,
  shiftTimestamp,
  type Timestamp,
} from '../../model/timestamp.ts';
import type { AnswerAge } from './answer-age.ts';

/** What is known of an item and its parent, from the store and its outbox. */
export interface KnownVersions {
  /** The latest version of the parent that is known. */
  readonly parent: Sighting | undefined;
  readonly item: Sighting;
}

/**
 * @param parentState of the parent of an item; undefined if it has none yet.
 * @param list the name of the list that the item is in.
 */
export function knownVersions(
  item: EntityState,
  parentState: EntityState | undefined,
  list: string,
): KnownVersions {
  const mark = markedVersion(parentState?.nested?.[list]);
  const unsaved = markedVersion(item.nested?.[PARENT]);
  return { parent: latest(latest(parentState, mark), unsaved), item };
}

function latest(a: Sighting | undefined, b: Sighting | undefined): Sighting | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareTimestamps(a.version, b.version) >= 0 ? a : b;
}

/** The time from which on a version is known. One that is dated ahead does not tell. */
function knownSince({ version, seenAt }: Sighting): Timestamp {
  return seenAt ?? version;
}

/**
 * Whether a list of the parent's version certainly shows a later state than the known one. Only then an
 * item that is missing was deleted, or an item that is back was restored: the answer may come from a copy
 * that lags, and two versions may share one `updated_at`.
 *
 * It does if the parent's version is later than the known ones, or if the answer was read the lookback
 * after them. Of an item that is dated ahead, and was seen without the service's clock, only the parent tells, by a later
 * version. Without the service's clock nobody can tell: then an answer counts as newer unless its versions say otherwise,
 * since no item may be lost.
 */
export function isNewerThanKnown(
  version: Timestamp,
  known: KnownVersions,
  { readAt, lookbackMs }: AnswerAge,
): boolean {
  const { parent } = known;
  const item = knownSince(known.item);
  if (readAt === undefined) return parent !== undefined || !isAfter(item, version);
  // An item dated in the future does not tell when it was there.
  const isDatedAhead = isAfter(item, shiftTimestamp(readAt, lookbackMs));
  if (isAfter(version, isDatedAhead ? parent?.version : laterOf(parent?.version, item)))
    return true;
  if (isDatedAhead) return false;
  const since = parent === undefined ? item : laterOf(knownSince(parent), item);
  return !isAfter(since, shiftTimestamp(readAt, -lookbackMs));
}
