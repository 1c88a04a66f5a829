import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  depthReason,
  invalidReason,
  validateEntities,
} from '../../../../functions/core/model/entity.ts';
import { cutToDepth } from '../../../../functions/core/model/json/depth.ts';
import { ExactNumber } from '../../../../functions/core/model/json/json.ts';
import { quote } from '../../../../functions/core/model/json/quote.ts';
import { nestedEntities } from '../../../../functions/core/model/nested-entities.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../support/list-service.ts';

const valid = { id: '7d4f6a51-0000-4000-8000-000000000001', updated_at: timeAt(1) };

const nest = (levels: number, leaf: unknown): unknown =>
  levels === 0 ? leaf : [nest(levels - 1, leaf)];

it.each([null, 'text', 7, new ExactNumber('1e400')])(
  '%s may lie below 50 levels, not 51',
  (leaf) => {
    expect(depthReason(nest(50, leaf))).toBeUndefined();
    expect(depthReason(nest(51, leaf))).toContain('at most 50 levels');
  },
);

it('a value is cut where it has too many levels', () => {
  const cut = '[cut: nested too deeply]';
  const [whole, deep] = [nest(49, 1), nest(50, 1)];
  expect(cutToDepth({ whole, deep })).toEqual({ whole, deep: cut });
  expect(cutToDepth([deep])).toBe(cut);
});

it.each([null, 7, 'text', ['x']])('%j in place of a current sheet is invalid', (value) => {
  const sheets = makeCatalog().perProject[0]?.nested?.[0];
  const shown = sheets && nestedEntities(sheets, { ...valid, sheets: [value] });
  expect(shown).toMatchObject({ entities: [], invalid: [{ value }] });
});

describe('validation', () => {
  it.each([
    ['only the two required fields', {}],
    ['null and absent times', { deleted_at: null }],
    ['times', { deleted_at: timeAt(2) }],
    [
      'the first and last times of four digits',
      { updated_at: '0001-01-01T00:00:00.000Z', deleted_at: '9999-12-31T23:59:59.999Z' },
    ],
    ['a created_at of any kind, which decides nothing', { created_at: 12 }],
    ['unknown fields', { 'new field': { a: [1] } }],
    ['an id that is not a UUID', { id: 'level-3' }],
    ['an id that is an integer', { id: 12 }],
    ['the id 0', { id: 0 }],
    ['the least id', { id: Number.MIN_SAFE_INTEGER }],
    ['the largest id', { id: Number.MAX_SAFE_INTEGER }],
  ])('accepts an entity with %s', (_, fields) => {
    expect(invalidReason({ ...valid, ...fields })).toBeUndefined();
  });

  it.each([
    ['id', undefined],
    ['id', ''],
    ['id', 1.5],
    ['id', 2 ** 53],
    ['id', true],
    ['id', null],
    ['id', '..'],
    ['id', 'a/b'],
    ['id', 'a#b'],
    ['id', 'x'.repeat(129)],
    ['updated_at', undefined],
    ['updated_at', null],
    ['updated_at', 'today'],
    ['updated_at', '2026-03-02 08:00:00,5'],
    ['deleted_at', ''],
    ['deleted_at', true],
    // Of many services it means: not deleted.
    ['deleted_at', '0001-01-01T00:00:00.000Z'],
  ])('names %s and its value when that is %j', (field, value) => {
    const reason = invalidReason({ ...valid, [field]: value });
    expect(reason).toContain(field);
    expect(reason).toContain(quote(value));
  });

  it('puts each value of a list, unchanged, among the valid or the invalid', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), fc.constant(valid))), (values) => {
        const { entities, invalid } = validateEntities(values);
        const out = new Set([...entities, ...invalid.map(({ value }) => value)]);
        expect(entities.length + invalid.length).toBe(values.length);
        for (const value of values) expect(out.has(value)).toBe(true);
      }),
    );
  });

  it.each([
    [null, 'null'],
    [false, 'a boolean'],
    [new ExactNumber('1e400'), 'a number'],
    [['Tower'], 'an array'],
    ['Tower', 'a text of 5 characters'],
    [{ id: 'Tower of London' }, 'a text of 15 characters'],
    [{ ...valid, updated_at: 'when Tower opens' }, 'a text of 16 characters'],
    [{ id: { name: 'Tower' } }, 'an object'],
    [{ ...valid, deleted_at: ['Tower'] }, 'an array'],
  ])('says of %j what it is, and quotes nothing that may be a name', (value, kind) => {
    expect(invalidReason(value)).toMatch(
      new RegExp(`^(id|updated_at|deleted_at|an entity) must be .*${kind}$`),
    );
    expect(invalidReason(value)).not.toContain('Tower');
  });

  it('truncates a long value', () => {
    expect(quote('x'.repeat(98))).toBe(`"${'x'.repeat(98)}"`);
    expect(quote('x'.repeat(99))).toBe(`"${'x'.repeat(99)}…`);
  });

  it('reports an absent field', () => {
    expect(invalidReason({ id: 'f' })).toMatch(/^updated_at must be .*, got nothing$/);
  });
});
