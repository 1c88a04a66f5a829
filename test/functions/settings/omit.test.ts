import { expect, it } from 'vitest';
import { omit } from '../../../functions/settings/omit.ts';

it.each([
  [{}],
  [{ projects: [] }],
  [{ projects: ['access_token', 'code'], floorplans: ['name', 'file_url'] }],
  [{ tasks: ['account_id', 'sheet', 'name'] }],
])('takes %j', (value) => {
  expect(omit.parse(value)).toEqual(value);
});

it.each([[{ tasks: [''] }], [{ tasks: ['x'.repeat(101)] }], [{ tasks: [7] }], [['token']]])(
  'refuses %j',
  (value) => {
    expect(omit.safeParse(value).success).toBe(false);
  },
);
