import { expect, it } from 'vitest';
import { pageDigest } from '../../../../functions/core/changes/digest.ts';
import type { ObservedPage } from '../../../../functions/core/changes/observe.ts';
import { timeAt } from '../../../support/list-service.ts';

/** A page of entities, each with its key, its version, and the digest of its nested list. */
function pageOf(entities: readonly [string, number, string?][], invalid: unknown[] = []) {
  const observed = entities.map(([key, second, digest]) => ({
    ...{ key, version: timeAt(second) },
    lists: [{ resource: { name: 'items' }, digest }],
  }));
  return { entities: observed, invalid } as unknown as ObservedPage;
}

const digest = pageDigest(
  pageOf([
    ['a', 1, 'x'],
    ['b', 2, 'y'],
  ]),
);

it('a page has the same digest in any order, and another with other keys, versions or lists', () => {
  expect(digest).toMatch(/^[0-9a-f]{16}$/);
  expect(
    pageDigest(
      pageOf([
        ['b', 2, 'y'],
        ['a', 1, 'x'],
      ]),
    ),
  ).toBe(digest);
  for (const other of [
    ['c', 2, 'y'],
    ['b', 3, 'y'],
    ['b', 2, 'z'],
  ] as [string, number, string][])
    expect(pageDigest(pageOf([['a', 1, 'x'], other]))).not.toBe(digest);
});

it('a page has no digest beside anything invalid, in a nested list too', () => {
  expect(pageDigest(pageOf([['a', 1, 'x']], [{ value: 7 }]))).toBeUndefined();
  expect(
    pageDigest(
      pageOf([
        ['a', 1, 'x'],
        ['b', 2],
      ]),
    ),
  ).toBeUndefined();
});

it('an empty page has no digest, so that idle feeds stay small', () => {
  expect(pageDigest(pageOf([]))).toBeUndefined();
});
