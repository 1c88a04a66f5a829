import { describe, expect, it } from 'vitest';
import { isNewerThanKnown } from '../../../../../functions/core/changes/missing/known-versions.ts';
import { timeAt } from '../../../../support/list-service.ts';

const LOOKBACK_MS = 60_000;

describe('a list is certainly newer than a known item', () => {
  it.each([
    // version, known parent, known item, read at, is newer
    ['if its parent is newer than both', 20, 10, 15, 21, true],
    ['not if the item is as new as its parent', 20, 10, 20, 21, false],
    ['not if its parent is known, and a copy may lag', 20, 20, 10, 79, false],
    ['if its parent is known, and no copy lags that long', 20, 20, 10, 80, true],
    ['not if the item changed later, and a copy may lag', 20, 20, 30, 89, false],
    ['if the item changed later, and no copy lags that long', 20, 20, 30, 90, true],
    ['if its parent has no state and is newer than the item', 20, undefined, 19, 21, true],
    ['not if its parent has no state and is as new as the item', 20, undefined, 20, 21, false],
    ['if its parent is newer, and the item is dated in the future', 20, 10, 9_999, 21, true],
    [
      'not if its parent is as known, and the item is dated in the future',
      20,
      20,
      9_999,
      99,
      false,
    ],
    ['if the service has no clock', 20, 20, 30, undefined, true],
    [
      'not if it has no clock, nor its parent a state, and the item is newer',
      20,
      undefined,
      30,
      undefined,
      false,
    ],
  ])('%s', (_, version, parent, item, readAt, expected) => {
    const known = {
      parent: parent === undefined ? undefined : { version: timeAt(parent) },
      item: { version: timeAt(item) },
    };
    const age = {
      readAt: readAt === undefined ? undefined : timeAt(readAt),
      lookbackMs: LOOKBACK_MS,
    };
    expect(isNewerThanKnown(timeAt(version), known, age)).toBe(expected);
  });

  it.each([
    ['if both were seen a lookback ago, though they are dated ahead', 9_999, 20, 30, 90, true],
    ['not if a copy may lag behind the parent that was seen', 9_999, 31, 30, 90, false],
    ['not if a copy may lag behind the item that was seen', 9_999, 20, 31, 90, false],
    ['if its parent has a later version, though that was seen just now', 9_998, 90, 90, 91, true],
  ])('%s', (_, parent, parentSeenAt, itemSeenAt, readAt, expected) => {
    const known = {
      parent: { version: timeAt(parent), seenAt: timeAt(parentSeenAt) },
      item: { version: timeAt(9_000), seenAt: timeAt(itemSeenAt) },
    };
    const age = { readAt: timeAt(readAt), lookbackMs: LOOKBACK_MS };
    expect(isNewerThanKnown(timeAt(9_999), known, age)).toBe(expected);
  });
});
