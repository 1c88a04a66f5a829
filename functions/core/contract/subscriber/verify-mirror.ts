import type { EntityVersion } from './entity-version.ts';
import { readLists, type Gap, type ListOptions } from './read-lists.ts';

type SavedVersion = Pick<EntityVersion, 'sequence' | 'isDeleted'>;

/** Options of {@link verifyMirror}. */
export interface VerifyMirrorOptions extends ListOptions {
  /** Finds the saved version of an entity. */
  readonly find: (source: string, subject: string) => Promise<SavedVersion | undefined>;
  /**
   * Skips entities that changed at this time or later, since their events may be under way: an ISO
   * 8601 timestamp, an hour ago for instance.
   */
  readonly changedBefore: string;
}

/** An entity of which the mirror differs from the service. */
export interface MirrorDifference {
  /** `deletion`: only one of them is deleted, although the saved version is no older. */
  readonly kind: 'missing' | 'outdated' | 'deletion';
  /** The entity at the service. Saving it repairs the mirror, but for a `deletion`. */
  readonly version: EntityVersion;
  readonly saved: SavedVersion | undefined;
}

/** The outcome of {@link verifyMirror}. */
export interface MirrorReport {
  readonly checkedCount: number;
  readonly differences: readonly MirrorDifference[];
  /** Lists and entities that could not be read. */
  readonly gaps: readonly Gap[];
}

/**
 * Compares a subscriber's saved versions with the lists of the service. It does not find removals
 * without a trace: no list shows them.
 *
 * @throws Error when the service fails.
 */
export async function verifyMirror(options: VerifyMirrorOptions): Promise<MirrorReport> {
  const { find, changedBefore } = options;
  const before = Date.parse(changedBefore);
  if (Number.isNaN(before)) {
    throw new TypeError(`changedBefore is no ISO 8601 timestamp: ${changedBefore}`);
  }
  const gaps: Gap[] = [];
  const differences: MirrorDifference[] = [];
  let checkedCount = 0;
  for await (const version of readLists(options, gaps)) {
    if (Date.parse(version.sequence) >= before) continue;
    const saved = await find(version.source, version.subject);
    // An inferred delete, for instance, has a later sequence than its entity's version.
    if (saved !== undefined && Date.parse(saved.sequence) >= before) continue;
    checkedCount++;
    const kind = differenceOf(version, saved);
    if (kind !== undefined) differences.push({ kind, version, saved });
  }
  return { checkedCount, differences, gaps };
}

function differenceOf(
  version: EntityVersion,
  saved: SavedVersion | undefined,
): MirrorDifference['kind'] | undefined {
  if (saved === undefined) return 'missing';
  if (saved.sequence < version.sequence) return 'outdated';
  const isSame = saved.sequence === version.sequence;
  const differs = saved.isDeleted !== version.isDeleted;
  return differs && (isSame || saved.isDeleted) ? 'deletion' : undefined;
}
