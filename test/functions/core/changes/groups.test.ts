import { describe, expect, it } from 'vitest';
import { StateGroups } from '../../../../functions/core/changes/groups.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { stateOf } from '../../../support/samples.ts';

const LIST = 'floorplans';

/** Groups of at most 1,000 bytes, after states of these bytes. */
function after(count: number, ...bytes: readonly number[]): StateGroups {
  const groups = new StateGroups(1_000);
  const states = bytes.map((size, n): [string, EntityState] => [
    `${n}`,
    { ...stateOf('f'), bytes: size },
  ]);
  groups.record(LIST, count, new Map(states));
  return groups;
}

describe('StateGroups', () => {
  it('starts with few entities, since their states may have any size', () => {
    expect(new StateGroups(1_000).countOf(LIST)).toBe(20);
  });

  it('loads as many entities as fit by the mean of the last group, and at least one', () => {
    expect(after(4, 300, 100).countOf(LIST)).toBe(10);
    expect(after(1, 5_000).countOf(LIST)).toBe(1);
  });

  it('grows five times with each group, also after new entities, which have no states', () => {
    const groups = after(20, ...Array.from({ length: 20 }, () => 1));
    expect(groups.countOf(LIST)).toBe(100);
    groups.record(LIST, 50, new Map());
    expect(groups.countOf(LIST)).toBe(500);
  });

  it('knows each kind of list by itself', () => {
    expect(after(1, 5_000).countOf('template_checklists')).toBe(20);
  });
});
