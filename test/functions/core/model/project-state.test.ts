import { describe, expect, it } from 'vitest';
import { accountOf, nameOf } from '../../../../functions/core/model/project-state.ts';

describe('what orders and lists have of a project', () => {
  it.each<[string, unknown, string]>([
    ['its name', 'Depot', 'Depot'],
    ['none if it has no text', 7, ''],
    ['no more than the beginning of a very long one', 'x'.repeat(420_000), 'x'.repeat(1_000)],
    ['no half of a character', `${'x'.repeat(999)}🏗`, `${'x'.repeat(999)}\uFFFD`],
  ])('is %s', (_, name, kept) => {
    expect(nameOf({ name })).toBe(kept);
  });

  it.each<[unknown, object]>([
    ['a1', { accountId: 'a1' }],
    [12, { accountId: '12' }],
    [null, {}],
    ['x'.repeat(257), {}],
  ])('is the account %j', (account, kept) => {
    expect(accountOf({ account_id: account })).toEqual(kept);
  });
});
