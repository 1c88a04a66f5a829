import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../../functions/core/changes/invalid-entity.ts';

describe('the identity of an invalid entity', () => {
  it('is an id of any type: other fields may differ on every read', () => {
    expect(identityOf({ id: 7.5, url: 'signed' })).toBe(7.5);
    expect(identityOf({ id: 'a/b', url: 'signed' })).toBe('a/b');
  });

  it.each([null, 'text', { name: 'A' }, ...['', ' ', '-', 0, false, [], {}].map((id) => ({ id }))])(
    'is the whole value when it has no id: %j',
    (value) => {
      expect(identityOf(value)).toBe(value);
    },
  );
});
