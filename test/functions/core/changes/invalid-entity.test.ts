import { describe, expect, it } from 'vitest';
import { invalidKey, invalidState } from '../../../../functions/core/changes/invalid-entity.ts';
import type { InvalidEntity } from '../../../../functions/core/model/entity.ts';
import { timeAt } from '../../../support/list-service.ts';

const item: InvalidEntity = {
  value: { id: 'a/b', updated_at: timeAt(1), url: 'signed' },
  reason: 'id must be a UUID',
};
const keyOf = (value: unknown, reason = item.reason) => invalidKey({ value, reason });

describe('the key of an invalid entity', () => {
  it('depends on id, version and reason only', () => {
    expect(keyOf({ id: 'a/b', updated_at: timeAt(1), url: 'signed again' })).toBe(invalidKey(item));
  });

  it('depends on an id of any type only', () => {
    expect(keyOf({ id: 7, url: 'signed' })).toBe(keyOf({ id: 7, url: 'signed again' }));
    expect(keyOf({ id: 7 })).not.toBe(keyOf({ id: 8 }));
  });

  it.each([
    ['id', keyOf({ id: 'a/c', updated_at: timeAt(1) })],
    ['version', keyOf({ id: 'a/b', updated_at: timeAt(2) })],
    ['reason', keyOf({ id: 'a/b', updated_at: timeAt(1) }, 'another')],
  ])('differs when the %s differs', (_, key) => {
    expect(key).not.toBe(invalidKey(item));
  });

  it.each<readonly [unknown, unknown]>([
    [null, 'text'],
    [{ name: 'A' }, { name: 'B' }],
    [
      { id: null, name: 'A' },
      { id: null, name: 'B' },
    ],
    ...['', ' ', '-', 0, false, [], {}].map(
      (id) =>
        [
          { id, name: 'A' },
          { id, name: 'B' },
        ] as const,
    ),
  ])('depends on the whole value when it has no id: %j and %j', (a, b) => {
    expect(keyOf(a)).not.toBe(keyOf(b));
    expect(keyOf(structuredClone(a))).toBe(keyOf(a));
  });
});

it('is remembered as an entity that never changes', () => {
  const never = '1970-01-01T00:00:00.000Z';
  const fields = { version: never, sequence: never, deleted: false };
  expect(invalidState(item)).toEqual({ key: invalidKey(item), ...fields });
});
