import { describe, expect, it } from 'vitest';
import type { Entity, InvalidEntity } from '../../../../functions/core/model/entity.ts';
import {
  isOutdated,
  invalidState,
  observe,
  invalidKey,
} from '../../../../functions/core/changes/observed-entity.ts';
import { at } from '../../../support/list-service.ts';

const identity = { key: 'floorplan#f', entity: 'floorplan', id: 'f', subject: '/floorplans/f' };
const seen = (second: number) => observe(identity, { id: 'f', updated_at: at(second) });

describe('an entity that was seen', () => {
  it('has its version and deletion in canonical form, and is itself untouched', () => {
    const entity: Entity = {
      id: 'f',
      updated_at: '2026-03-02T08:00:05+00:00',
      deleted_at: '2026-03-02T08:00:04Z',
    };
    const { version, deletedAt, object } = observe(identity, entity);
    expect([version, deletedAt]).toEqual([at(5), at(4)]);
    expect(object).toBe(entity);
  });

  it.each([{}, { deleted_at: null }])('is not deleted when it says %j', (fields) => {
    expect(observe(identity, { id: 'f', updated_at: at(5), ...fields }).deletedAt).toBeNull();
  });

  it('must have passed the door', () => {
    const unchecked: Entity = { id: 'f', updated_at: 'yesterday' };
    expect(() => observe(identity, unchecked)).toThrow('yesterday passed the door');
  });

  it('gives way to a later version only, and of two the same to neither', () => {
    expect(isOutdated(seen(4), seen(5))).toBe(true);
    expect(isOutdated(seen(5), seen(5))).toBe(false);
    expect(isOutdated(seen(5), seen(4))).toBe(false);
    expect(isOutdated(seen(5), undefined)).toBe(false);
  });
});

describe('what was set aside', () => {
  const item: InvalidEntity = {
    value: { id: 'a/b', updated_at: at(1), url: 'signed' },
    reason: 'id must be a UUID',
  };
  const keyOf = (value: unknown, reason = item.reason) => invalidKey({ value, reason });

  it('is recognised by id, version and reason, though its other fields differ', () => {
    expect(keyOf({ id: 'a/b', updated_at: at(1), url: 'signed again' })).toBe(invalidKey(item));
  });

  it.each([
    ['id', keyOf({ id: 'a/c', updated_at: at(1) })],
    ['version', keyOf({ id: 'a/b', updated_at: at(2) })],
    ['reason', keyOf({ id: 'a/b', updated_at: at(1) }, 'another')],
  ])('is another when its %s is', (_, key) => {
    expect(key).not.toBe(invalidKey(item));
  });

  it.each([
    [null, 'text'],
    [{ name: 'A' }, { name: 'B' }],
    [
      { id: 7, name: 'A' },
      { id: 7, name: 'B' },
    ],
  ])('is recognised by all of it when it has no text for an id: %j and %j', (a, b) => {
    expect(keyOf(a)).not.toBe(keyOf(b));
    expect(keyOf(structuredClone(a))).toBe(keyOf(a));
  });

  it('is remembered as an entity that never was and never changes', () => {
    const never = '1970-01-01T00:00:00.000Z';
    expect(invalidState(item)).toEqual({
      key: invalidKey(item),
      version: never,
      sequence: never,
      deleted: false,
    });
  });
});
