import { describe, expect, it } from 'vitest';
import { isNewerThanKnown } from '../../../../functions/core/changes/list-changes.ts';
import { timeAt } from '../../../support/list-service.ts';

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
    const known = { parent: parent === undefined ? undefined : timeAt(parent), item: timeAt(item) };
    const age = {
      readAt: readAt === undefined ? undefined : timeAt(readAt),
      lookbackMs: LOOKBACK_MS,
    };
    expect(isNewerThanKnown(timeAt(version), known, age)).toBe(expected);
  });
});
