import { describe, expect, it } from 'vitest';
import {
  isNewerThanKnown,
  knownVersions,
} from '../../../../../functions/core/changes/missing/known-versions.ts';
import { outboxMark, PARENT } from '../../../../../functions/core/model/entity-state.ts';
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

describe('the version of the parent that is known', () => {
  const stateOf = (n: number, nested?: Record<string, string>) => ({
    ...{ key: 'k', version: timeAt(n), sequence: timeAt(n), deleted: false },
    ...(nested && { nested }),
  });
  const mark = (n: number): string => outboxMark({ version: timeAt(n), seenAt: timeAt(n + 1) });

  it.each([
    // state of the parent, mark of the list, mark of an item without a parent, known
    ['is that of its state', 20, undefined, undefined, 20],
    ['is that of its list in the outbox, if that is later', 20, 30, undefined, 30],
    ['is that of its state, if its list in the outbox is older', 30, 20, undefined, 30],
    ['is that of an item in the outbox, if it has no state', undefined, undefined, 20, 20],
    ['is that of an item in the outbox, if that is later', 20, undefined, 30, 30],
    ['is that of its state, if an item in the outbox is older', 30, undefined, 20, 30],
    ['is unknown without all of them', undefined, undefined, undefined, undefined],
  ])('%s', (_, state, list, item, expected) => {
    const parent =
      state === undefined ? undefined : stateOf(state, list ? { items: mark(list) } : {});
    const child = stateOf(10, item === undefined ? {} : { [PARENT]: mark(item) });
    const known = knownVersions(child, parent, 'items');
    expect(known.parent?.version).toBe(expected === undefined ? undefined : timeAt(expected));
    expect(known.item).toBe(child);
  });

  it('is that of its state, with its time of sight, if its list in the outbox is as new', () => {
    const parent = { ...stateOf(20, { items: mark(20) }), seenAt: timeAt(19) };
    expect(knownVersions(stateOf(10), parent, 'items').parent?.seenAt).toBe(timeAt(19));
  });
});
