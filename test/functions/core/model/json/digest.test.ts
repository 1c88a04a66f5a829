import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, fieldDigests } from '../../../../../functions/core/model/json/digest.ts';
import { parseJson } from '../../../../../functions/core/model/json/json.ts';
import { anyCharacter } from '../../../../support/arbitraries.ts';

const json = fc.jsonValue({ stringUnit: anyCharacter });

it('is the first 16 hex digits of the SHA-256 of the canonical JSON', () => {
  // printf '%s' '{"a":[1,null,{"c":true,"d":"x"}],"b":"ü"}' | sha256sum
  expect(digestOf({ b: 'ü', a: [1, null, { d: 'x', c: true }] })).toBe('682a03144a819ff3');
});

it('stays the same when the value is stored as JSON and read again', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(digestOf(JSON.parse(JSON.stringify(value)))).toBe(digestOf(value));
    }),
  );
});

it('ignores the order of fields, at any depth, but not of lists', () => {
  expect(digestOf({ a: 1, b: { c: 2, d: 3 } })).toBe(digestOf({ b: { d: 3, c: 2 }, a: 1 }));
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
});

it('differs for values that differ as JSON', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      fc.pre(sortedJson(a) !== sortedJson(b));
      expect(digestOf(a)).not.toBe(digestOf(b));
    }),
  );
});

it.each([
  ['a field with null and no field', { a: null }, {}],
  ['a field named __proto__ and no field', JSON.parse('{"__proto__":1}'), {}],
])('differs for %s', (_, a: unknown, b: unknown) => {
  expect(digestOf(a)).not.toBe(digestOf(b));
});

it.each([
  ['-0', '0', true],
  ['9007199254740993', '9007199254740993.0', true],
  ['9007199254740993', '9007199254740992', false],
  ['1e400', '1e401', false],
])('compares %s and %s by value', (a, b, isSame) => {
  expect(digestOf(parseJson(a)) === digestOf(parseJson(b))).toBe(isSame);
});

it('counts an undefined field as absent and an undefined value as null', () => {
  expect(digestOf({ a: undefined, b: 1 })).toBe(digestOf({ b: 1 }));
  expect(digestOf(undefined)).toBe(digestOf(null));
  expect(digestOf([undefined])).toBe(digestOf([null]));
});

it('is made of each top-level field', () => {
  const content = JSON.parse('{"id":"a","tags":["x"],"__proto__":{"y":1}}') as object;
  const digests = fieldDigests({ ...content });
  expect(Object.entries(digests)).toEqual([
    ['id', digestOf('a')],
    ['tags', digestOf(['x'])],
    ['__proto__', digestOf({ y: 1 })],
  ]);
});

/** JSON with sorted fields, made independently of the code under test. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
