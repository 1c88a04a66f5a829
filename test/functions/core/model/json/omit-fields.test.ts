import { expect, it } from 'vitest';
import type { Entity } from '../../../../../functions/core/model/entity.ts';
import { omitFields } from '../../../../../functions/core/model/json/omit-fields.ts';
import { makeCatalog } from '../../../../../functions/core/model/resource-catalog.ts';

const omit = { floorplans: ['token', 'length'] };
const [floorplans = makeCatalog().projects] = makeCatalog({ omit }).perProject;

it.each<[unknown, unknown]>([
  [null, null],
  [7, 7],
  ['token', 'token'],
  [['token'], ['token']],
  [
    { id: 'f', token: 1, other: { token: 2 } },
    { id: 'f', other: { token: 2 } },
  ],
  [
    { sheet: null, current_sheet: { id: 's', token: 3 } },
    { sheet: null, current_sheet: { id: 's' } },
  ],
  [{ sheets: [null, 7, ['a'], { token: 4, id: 't' }] }, { sheets: [null, 7, ['a'], { id: 't' }] }],
])('of %j, valid or not, is left %j', (value, left) => {
  const page = { entities: [value as Entity], invalid: [{ value, reason: 'why' }], hasMore: true };
  const expected = { entities: [left], invalid: [{ value: left, reason: 'why' }], hasMore: true };
  expect(omitFields(page, floorplans)).toEqual(expected);
  expect(omitFields(page, makeCatalog().projects)).toBe(page);
});
