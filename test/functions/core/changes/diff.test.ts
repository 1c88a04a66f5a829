import { describe, expect, it } from 'vitest';
import { inferDelete } from '../../../../functions/core/changes/diff.ts';
import type { Observed } from '../../../../functions/core/changes/observe.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { timeAt } from '../../../support/list-service.ts';
import { readState } from '../../../support/samples.ts';
import { deletedAt } from '../../../support/site.ts';
import { compare, identity, observedAt, stateAt } from './floorplan.ts';

describe('diff', () => {
  it.each([
    ['none', undefined, observedAt(5), 'created'],
    ['none, deleted', undefined, observedAt(5, deletedAt(5)), 'deleted'],
    ['none, and not changed for long', undefined, observedAt(-5), 'created'],
    ['not deleted', stateAt(4), observedAt(5), 'updated'],
    ['not deleted, deleted', stateAt(4), observedAt(5, deletedAt(5)), 'deleted'],
    ['deleted', stateAt(4, deletedAt(4)), observedAt(5), 'restored'],
    ['deleted, deleted', stateAt(4, deletedAt(4)), observedAt(5, deletedAt(4)), 'updated'],
  ])('from state %s: %#', (_, before, observed, action) => {
    const { change, state } = compare(before, observed) ?? {};
    expect(change).toMatchObject({
      action,
      sequence: observed.version,
      subject: '/projects/p/floorplans/f',
    });
    const { version, deletedAt: gone } = observed;
    expect(state).toMatchObject({ version, deleted: gone !== null });
    expect(state?.nested).toBeUndefined();
  });

  it.each([
    ['the same entity', stateAt(5), observedAt(5)],
    ['the same version with other fields', stateAt(5), observedAt(5, { name: 'signed again' })],
    ['an older version', stateAt(5), observedAt(4, { name: 'L0' })],
    ['an older deleted version', stateAt(5), observedAt(4, deletedAt(4))],
    ['the same deleted entity', stateAt(5, deletedAt(5)), observedAt(5, deletedAt(5))],
  ])('finds nothing to publish or save in %s', (_, state, observed) => {
    expect(compare(state, observed)).toBeUndefined();
  });

  it.each([observedAt(5), observedAt(5, deletedAt(5))])(
    'saves a new entity without a change in the baseline',
    (observed) => {
      const { change, state } = compare(undefined, observed, { phase: 'baseline' }) ?? {};
      expect(change).toBeUndefined();
      expect(readState(state)).toMatchObject({ version: timeAt(5), content: observed.object });
    },
  );

  it('finds changes during the baseline once an entity has a state', () => {
    expect(compare(stateAt(4), observedAt(5), { phase: 'baseline' })?.change?.action).toBe(
      'updated',
    );
  });

  it('takes the time of a delete from deleted_at, and any other from updated_at', () => {
    const timeOf = (state: EntityState, observed: Observed) =>
      compare(state, observed)?.change?.time;
    expect(timeOf(stateAt(1), observedAt(5, deletedAt(4)))).toBe(timeAt(4));
    expect(timeOf(stateAt(1), observedAt(5))).toBe(timeAt(5));
    expect(timeOf(stateAt(1, deletedAt(1)), observedAt(5, deletedAt(1)))).toBe(timeAt(5));
  });

  it('names no changed fields of a new entity', () => {
    const { change } = compare(undefined, observedAt(2)) ?? {};
    expect(change?.changed).toEqual([]);
    expect(change?.previous).toBeUndefined();
  });
});

describe('the digests of nested lists', () => {
  const before: EntityState = { ...stateAt(5), nested: { items: 'old', photos: 'old' } };

  function observedWith(second: number, digests: Record<string, string>): Observed {
    const lists = Object.entries(digests).map(([name, digest]) => ({
      resource: { fields: [name], name, entity: name, holds: 'list' as const },
      entities: [],
      invalid: [],
      isList: true,
      digest,
    }));
    return { ...observedAt(second), lists };
  }

  it.each([
    ['a list changed and its parent did not', before, { items: 'old', photos: 'new' }, {}],
    ['the page does not show a list', before, { items: 'new' }, { photos: 'old' }],
    ['the state has no lists', stateAt(5), { items: 'new' }, {}],
  ])('are saved without a change when %s', (_, state, digests, kept) => {
    const { change, state: saved } = compare(state, observedWith(5, digests)) ?? {};
    expect(change).toBeUndefined();
    expect(readState(saved)).toEqual(readState({ ...state, nested: { ...kept, ...digests } }));
  });

  it.each([
    ['unchanged lists', observedWith(5, { items: 'old', photos: 'old' })],
    ['an older answer', observedWith(4, { items: 'older', photos: 'older' })],
  ])('of %s are not saved again', (_, observed) => {
    expect(compare(before, observed)).toBeUndefined();
  });
});

describe('an inferred delete', () => {
  const gone = inferDelete(stateAt(4), identity, timeAt(9))?.state;
  const nanoseconds = (count: number) => `2026-03-02T08:00:04.00000000${count}Z`;

  it('has the sequence after that of the last event, by no clock', () => {
    const { change, state } = inferDelete(stateAt(4), identity, timeAt(9)) ?? {};
    const sequence = nanoseconds(1);
    expect(change).toMatchObject({ action: 'deleted', sequence, time: timeAt(9) });
    expect(change).toMatchObject({ object: { name: 'L1' }, changed: [] });
    expect(state).toMatchObject({
      deleted: true,
      inferred: timeAt(9),
      version: timeAt(4),
      sequence,
    });
  });

  it('is no change of an entity that is deleted already', () => {
    expect(inferDelete(stateAt(4, deletedAt(4)), identity, timeAt(9))).toBeUndefined();
    expect(gone && inferDelete(gone, identity, timeAt(9))).toBeUndefined();
    const lost = { ...stateAt(4, deletedAt(4)), unpublished: {} };
    expect(inferDelete(lost, identity, timeAt(9))?.state.unpublished).toBeUndefined();
  });

  it('is taken back by the same version where that is allowed, and nowhere else', () => {
    expect(compare(gone, observedAt(4))).toBeUndefined();
    const { change, state } = compare(gone, observedAt(4), { inferredRestoreAt: timeAt(12) }) ?? {};
    const sequence = nanoseconds(2);
    expect(change).toMatchObject({ action: 'restored', sequence, time: timeAt(12) });
    expect(state).toMatchObject({ version: timeAt(4), deleted: false, inferred: timeAt(12) });
    expect(compare(state, observedAt(4), { inferredRestoreAt: timeAt(12) })).toBeUndefined();
  });

  it('is not taken back by an older version, nor by one that is deleted, nor is another delete', () => {
    const inferredRestoreAt = timeAt(12);
    expect(compare(stateAt(4, deletedAt(4)), observedAt(4), { inferredRestoreAt })).toBeUndefined();
    expect(compare(gone, observedAt(3), { inferredRestoreAt })).toBeUndefined();
    expect(compare(gone, observedAt(4, deletedAt(4)), { inferredRestoreAt })).toBeUndefined();
  });

  it('lies below every later version', () => {
    const { change } = compare(gone, observedAt(5, { name: 'L2' })) ?? {};
    expect(change).toMatchObject({ action: 'restored', sequence: timeAt(5), changed: ['name'] });
  });

  it('identifies an entity whose content was not kept', () => {
    const { content: _, ...state } = stateAt(4);
    expect(inferDelete(state, identity, timeAt(9))?.change?.object).toEqual({ id: 'f' });
  });
});
