import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../../functions/core/model/entity.ts';

describe('what orders and lists have of a project', () => {
  it.each<[unknown, object]>([
    ['a1', { accountId: 'a1' }],
    [12, { accountId: '12' }],
    [null, {}],
  ])('is the account %j', (account, kept) => {
    expect(accountOf({ account_id: account })).toEqual(kept);
  });
});
