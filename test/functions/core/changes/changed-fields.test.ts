import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedFields } from '../../../../functions/core/changes/changed-fields.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import { fieldDigests } from '../../../../functions/core/model/json/digest.ts';
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { timeAt } from '../../../support/list-service.ts';

const state = { key: 'floorplan#f', version: timeAt(1), sequence: timeAt(1), deleted: false };

function entity(second: number, fields: JsonObject): JsonObject {
  return { id: 'f', updated_at: timeAt(second), name: 'L1', ...fields };
}

function compare(before: JsonObject, now: JsonObject) {
  return changedFields({ ...state, content: () => entity(1, before) }, entity(2, now));
}

const parse = (text: string) => JSON.parse(text) as JsonObject;

describe('changed fields', () => {
  it('are named in order, with old values, without updated_at', () => {
    expect(compare({ b: 1, a: [1] }, { b: 2, a: [1, 2] })).toStrictEqual({
      changed: ['a', 'b'],
      previous: { a: [1], b: 1 },
    });
  });

  it('are in order however many there are', () => {
    const names = fc.uniqueArray(fc.string({ maxLength: 2 }), { maxLength: 15, size: 'max' });
    fc.assert(
      fc.property(names, (fields) => {
        const object = Object.fromEntries(fields.map((field) => [`_${field}`, 1]));
        expect(compare({}, object).changed).toEqual(Object.keys(object).sort());
      }),
    );
  });

  it('include new fields, which have no old value, and removed fields', () => {
    expect(compare({ gone: 'x' }, { fresh: 'y' })).toStrictEqual({
      changed: ['fresh', 'gone'],
      previous: { gone: 'x' },
    });
  });

  it('are none when only updated_at moved', () => {
    expect(compare({}, {})).toStrictEqual({ changed: [], previous: {} });
  });

  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, {}, false],
    [{}, null, false],
    ['', {}, false],
    [{}, '', false],
    [{ a: { b: [1, null] } }, { a: { b: [1, null] } }, true],
    ['', null, false],
  ])('compare %j with %j as JSON', (before, now, same) => {
    expect(compare({ field: before }, { field: now }).changed).toEqual(same ? [] : ['field']);
  });

  it.each([
    ['1.0', '1', true],
    ['-0', '0', true],
    ['1e400', '10e399', true],
    ['9007199254740993', '9007199254740993', true],
    ['9007199254740993', '9007199254740992', false],
    ['9007199254740993', '9007199254740995', false],
    ['1e400', '1e401', false],
    ['9007199254740993', '{"text":"9007199254740993"}', false],
    ['{"text":"1e400"}', '1e400', false],
  ])('compare the numbers %s and %s by value', (before, now, same) => {
    const [field, other] = [parseJson(before), parseJson(now)];
    const expected = same ? [] : ['field'];
    expect(compare({ field }, { field: other }).changed).toEqual(expected);
    expect(compare({ field: [field] }, { field: [other] }).changed).toEqual(expected);
  });

  it('handle a field named __proto__', () => {
    const content = parse('{"__proto__": 1, "deleted_at": null}');
    const { previous } = changedFields(
      { ...state, content: () => content },
      parse('{"__proto__": 2, "deleted_at": null}'),
    );
    expect(JSON.stringify(previous)).toBe('{"__proto__":1}');
  });

  it.each(['constructor', 'toString', '__proto__'])('do not inherit %s', (field) => {
    const now = parse(`{"${field}": "x"}`);
    const digests = fieldDigests(now);
    expect(changedFields({ ...state, digests }, entity(2, {})).changed).toContain(field);
    const { changed } = changedFields({ ...state, content: () => entity(1, {}) }, now);
    expect(changed).toContain(field);
  });

  it('are still named, without old values, when the old content was too large to keep', () => {
    const digests = fieldDigests(entity(1, { big: 'x', same: 1, gone: true }));
    const large: EntityState = { ...state, digests };
    expect(changedFields(large, entity(2, { big: 'y', same: 1, fresh: 0 }))).toStrictEqual({
      changed: ['big', 'fresh', 'gone'],
    });
  });
});
