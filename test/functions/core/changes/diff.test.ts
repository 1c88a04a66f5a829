import { describe, expect, it } from 'vitest';
import { diff, diffMissing } from '../../../../functions/core/changes/diff.ts';
import type { ObservedEntity } from '../../../../functions/core/changes/observed-entity.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { timeAt } from '../../../support/list-service.ts';
import { readState } from '../../../support/samples.ts';
import { deletedAt } from '../../../support/site.ts';
import { identity, observedAt, stateAt } from './floorplan.ts';

describe('diff', () => {
  it.each([
    ['none', undefined, observedAt(5), 'created'],
    ['none, deleted', undefined, observedAt(5, deletedAt(5)), 'deleted'],
    ['not deleted', stateAt(4), observedAt(5), 'updated'],
    ['not deleted, deleted', stateAt(4), observedAt(5, deletedAt(5)), 'deleted'],
    ['deleted', stateAt(4, deletedAt(4)), observedAt(5), 'restored'],
    ['deleted, deleted', stateAt(4, deletedAt(4)), observedAt(5, deletedAt(4)), 'updated'],
  ])('from state %s: %#', (_, before, observed, action) => {
    const { change, state } = diff(before, observed, false);
    expect(change).toMatchObject({ action, sequence: timeAt(5), subject: identity.subject });
    expect(state).toMatchObject({ version: timeAt(5), deleted: observed.deletedAt !== null });
  });

  it.each([
    ['the same entity', stateAt(5), observedAt(5)],
    ['the same version with other fields', stateAt(5), observedAt(5, { name: 'signed again' })],
    ['an older version', stateAt(5), observedAt(4, { name: 'L0' })],
    ['an older deleted version', stateAt(5), observedAt(4, deletedAt(4))],
    ['the same deleted entity', stateAt(5, deletedAt(5)), observedAt(5, deletedAt(5))],
  ])('finds nothing to publish or save in %s', (_, state, observed) => {
    expect(diff(state, observed, false)).toEqual({});
  });

  it.each([observedAt(5), observedAt(5, deletedAt(5))])(
    'saves a new entity without a change in the baseline',
    (observed) => {
      const { change, state } = diff(undefined, observed, true);
      expect(change).toBeUndefined();
      expect(readState(state)).toMatchObject({ version: timeAt(5), content: observed.object });
    },
  );

  it('finds changes during the baseline once an entity has a state', () => {
    expect(diff(stateAt(4), observedAt(5), true).change?.action).toBe('updated');
  });

  it('takes the time of a delete from deleted_at, and any other from updated_at', () => {
    const timeOf = (state: EntityState, observed: ObservedEntity) =>
      diff(state, observed, false).change?.time;
    expect(timeOf(stateAt(1), observedAt(5, deletedAt(4)))).toBe(timeAt(4));
    expect(timeOf(stateAt(1), observedAt(5))).toBe(timeAt(5));
    expect(timeOf(stateAt(1, deletedAt(1)), observedAt(5, deletedAt(1)))).toBe(timeAt(5));
  });

  it('names no changed fields of a new entity', () => {
    const { change } = diff(undefined, observedAt(2), false);
    expect(change?.changed).toEqual([]);
    expect(change?.previous).toBeUndefined();
  });
});

describe('the digests of nested lists', () => {
  const before: EntityState = { ...stateAt(5), nested: { items: 'old', photos: 'old' } };

  function observedWith(second: number, digests: Record<string, string>): ObservedEntity {
    const lists = Object.entries(digests).map(([name, digest]) => ({
      resource: { fields: [name], name, entity: name, holds: 'list' as const },
      entities: [],
      invalid: [],
      digest,
    }));
    return { ...observedAt(second), lists };
  }

  it.each([
    ['a list changed and its parent did not', before, { items: 'old', photos: 'new' }, {}],
    ['the page does not show a list', before, { items: 'new' }, { photos: 'old' }],
    ['the state has no lists', stateAt(5), { items: 'new' }, {}],
  ])('are saved without a change when %s', (_, state, digests, kept) => {
    const { change, state: saved } = diff(state, observedWith(5, digests), false);
    expect(change).toBeUndefined();
    expect(readState(saved)).toEqual(readState({ ...state, nested: { ...kept, ...digests } }));
  });

  it.each([
    ['unchanged lists', observedWith(5, { items: 'old', photos: 'old' })],
    ['an older answer', observedWith(4, { items: 'older', photos: 'older' })],
  ])('of %s are not saved again', (_, observed) => {
    expect(diff(before, observed, false)).toEqual({});
  });
});

describe('diffMissing', () => {
  const missing = diffMissing(stateAt(4), identity, timeAt(9)).state;

  it('deletes the entity at the version of its parent', () => {
    const { change, state } = diffMissing(stateAt(4), identity, timeAt(9));
    expect(change).toMatchObject({
      action: 'deleted',
      sequence: timeAt(9),
      time: timeAt(9),
      object: { name: 'L1' },
      changed: [],
    });
    expect(state).toMatchObject({
      deleted: true,
      missing: true,
      version: timeAt(4),
      sequence: timeAt(9),
    });
  });

  it('deletes the entity after its last event even if its parent is older', () => {
    const { change } = diffMissing(stateAt(4), identity, timeAt(4));
    expect(change?.sequence).toBe('2026-03-02T08:00:04.001Z');
  });

  it('finds no change in an entity that is deleted already', () => {
    expect(diffMissing(stateAt(4, deletedAt(4)), identity, timeAt(9))).toEqual({});
  });

  it.each([
    ['its version is unchanged', observedAt(4), timeAt(4)],
    ['its version equals the sequence of the delete', observedAt(9), timeAt(9)],
  ])('is followed by a restore when the entity is back and %s', (_, observed, version) => {
    const { change, state } = diff(missing, observed, false);
    expect(change).toMatchObject({ action: 'restored', sequence: '2026-03-02T08:00:09.001Z' });
    expect(state).toMatchObject({ version, deleted: false });
    expect(state).not.toHaveProperty('missing');
  });

  it('is not followed by a restore when an answer shows the entity deleted', () => {
    expect(diff(missing, observedAt(4, deletedAt(4)), false)).toEqual({});
  });

  it('leaves later changes with a version below its sequence visible', () => {
    const back = diff(missing, observedAt(4), false).state;
    const { change } = diff(back, observedAt(6, { name: 'L2' }), false);
    expect(change).toMatchObject({ action: 'updated', changed: ['name'] });
    expect(change?.sequence).toBe('2026-03-02T08:00:09.002Z');
  });

  it('identifies an entity whose content was not kept', () => {
    const { content, ...state } = stateAt(4);
    expect(content).toBeDefined();
    expect(diffMissing(state, identity, timeAt(9)).change?.object).toEqual({ id: 'f' });
  });
});
