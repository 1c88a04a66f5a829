import { describe, expect, it } from 'vitest';
import { latestOfEach, observe } from '../../../../functions/core/changes/observe.ts';
import type { Entity } from '../../../../functions/core/model/entity.ts';
import { timeAt } from '../../../support/list-service.ts';

const place = { entity: 'floorplan', path: '/floorplans' };
const observedAt = (second: number) => observe(place, { id: 'f', updated_at: timeAt(second) });

describe('an observed entity', () => {
  it('has version and deletion in canonical form, and the object as it was', () => {
    const entity: Entity = {
      id: 'f',
      updated_at: '2026-03-02T08:00:05+00:00',
      deleted_at: '2026-03-02T08:00:04Z',
    };
    const { version, deletedAt, object } = observe(place, entity);
    expect([version, deletedAt]).toEqual([timeAt(5), timeAt(4)]);
    expect(object).toBe(entity);
  });

  it.each([{}, { deleted_at: null }])('is not deleted when it says %j', (fields) => {
    expect(observe(place, { id: 'f', updated_at: timeAt(5), ...fields }).deletedAt).toBeNull();
  });

  it('counts with its later version, and of two equal ones with the last', () => {
    const [old, first, last] = [observedAt(4), observedAt(5), observedAt(5)];
    expect(latestOfEach([first, old, last])[0]).toBe(last);
    expect(latestOfEach([first, old])).toEqual([first]);
  });
});
