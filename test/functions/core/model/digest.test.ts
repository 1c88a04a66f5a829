import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, fieldDigests } from '../../../../functions/core/model/digest.ts';

const json = fc.jsonValue({ stringUnit: 'binary' });

test('a digest is the first 16 hex digits of the SHA-256 of the canonical JSON', () => {
  // printf '%s' '{"a":[1,null,{"c":true,"d":"x"}],"b":"ü"}' | sha256sum
  expect(digestOf({ b: 'ü', a: [1, null, { d: 'x', c: true }] })).toBe('682a03144a819ff3');
});

test('digests stay the same when the value was stored as JSON and read again', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(digestOf(JSON.parse(JSON.stringify(value)))).toBe(digestOf(value));
    }),
  );
});

test('the order of fields does not matter, at any depth', () => {
  expect(digestOf({ a: 1, b: { c: 2, d: 3 } })).toBe(digestOf({ b: { d: 3, c: 2 }, a: 1 }));
});

test('the order of a list matters', () => {
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
});

test('values that differ as JSON have different digests', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      fc.pre(sortedJson(a) !== sortedJson(b));
      expect(digestOf(a)).not.toBe(digestOf(b));
    }),
  );
});

test.each([
  ['1', 1, '1'],
  ['null and the text', null, 'null'],
  ['a list and what it holds', [1], 1],
  ['an empty list and an empty object', [], {}],
  ['true and the text', true, 'true'],
  ['a nested list and a flat one', [[1], [2]], [[1, 2]]],
  ['a field with null and no field', { a: null }, {}],
  ['a field named __proto__ and no field', JSON.parse('{"__proto__":1}'), {}],
])('%s are told apart', (_, a: unknown, b: unknown) => {
  expect(digestOf(a)).not.toBe(digestOf(b));
});

test('a field without a value counts as absent, a missing value as null', () => {
  expect(digestOf({ a: undefined, b: 1 })).toBe(digestOf({ b: 1 }));
  expect(digestOf(undefined)).toBe(digestOf(null));
  expect(digestOf([undefined])).toBe(digestOf([null]));
});

test('each top-level field gets the digest of its value', () => {
  const content = JSON.parse('{"id":"a","tags":["x"],"__proto__":{"y":1}}') as object;
  const digests = fieldDigests({ ...content });
  expect(Object.entries(digests)).toEqual([
    ['id', digestOf('a')],
    ['tags', digestOf(['x'])],
    ['__proto__', digestOf({ y: 1 })],
  ]);
});

/** JSON with sorted fields, made another way than the code under test does. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
