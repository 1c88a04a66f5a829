import { expect, it } from 'vitest';
import { readPageEnd } from '../../../../functions/core/model/page-end.ts';
import { timeAt } from '../../../support/list-service.ts';

/** The end of a page of two entities by its X-Has-More, X-Count and X-Last-Synced-At. */
function endOf([hasMore, count, lastSyncedAt]: readonly (string | null)[]) {
  const values = new Map([
    ['X-Has-More', hasMore],
    ['X-Count', count],
    ['X-Last-Synced-At', lastSyncedAt],
  ]);
  const headers = { get: (name: string) => values.get(name) ?? null };
  return readPageEnd(headers, 2, (reason) => new Error(reason));
}

const time = timeAt(5);

it.each([
  [[' True ', null, ''], { hasMore: true }],
  [['true,true', '2, 2', ` ${time} `], { hasMore: true, lastSyncedAt: time }],
  [['false', ' ', time], { hasMore: false, lastSyncedAt: time }],
  [['FALSE', '2', 'never'], { hasMore: false }],
])('the headers %j end a page', (headers, expected) => {
  expect(endOf(headers)).toEqual(expected);
});

it.each([
  [[null, null, null], 'X-Has-More must be true or false, got nothing'],
  [['true, true, false', null, null], 'X-Has-More must be true or false, got "true, true, false"'],
  [['true', '1', null], 'X-Count must be the number of entities in the body, 2, got "1"'],
  [['true', '2', 'never'], 'X-Last-Synced-At must be an ISO 8601 UTC timestamp, got "never"'],
])('the headers %j are refused', (headers, reason) => {
  expect(() => endOf(headers)).toThrow(reason);
});
