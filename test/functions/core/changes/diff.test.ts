import { describe, expect, it } from 'vitest';
import { diff, diffMissing, type Diff } from '../../../../functions/core/changes/diff.ts';
import type { JsonObject } from '../../../../functions/core/model/entity.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import {
  observe,
  type ObservedEntity,
} from '../../../../functions/core/changes/observed-entity.ts';
import { at } from '../../../support/list-service.ts';
import { addToOutbox, replayFromOutbox } from '../../../../functions/core/changes/outbox.ts';

const identity = {
  key: 'floorplan#f',
  entity: 'floorplan',
  id: 'f',
  subject: '/projects/p/floorplans/f',
};

function seen(second: number, fields: JsonObject = {}): ObservedEntity {
  return observe(identity, {
    id: 'f',
    updated_at: at(second),
    deleted_at: null,
    name: 'L1',
    ...fields,
  });
}

const deletedAt = (second: number) => ({ deleted_at: at(second) });

function known(second: number, fields: JsonObject = {}): EntityState {
  const saved = diff(undefined, seen(second, fields), true).known;
  if (saved === undefined) throw new Error('nothing was saved');
  return saved;
}

describe('classification', () => {
  it.each([
    ['nothing', undefined, seen(5), 'created'],
    ['nothing', undefined, seen(5, deletedAt(5)), 'deleted'],
    ['an entity', known(4), seen(5), 'updated'],
    ['an entity', known(4), seen(5, deletedAt(5)), 'deleted'],
    ['a deleted entity', known(4, deletedAt(4)), seen(5), 'restored'],
    ['a deleted entity', known(4, deletedAt(4)), seen(5, deletedAt(4)), 'updated'],
  ])('of what follows on %s: %#', (_, before, now, action) => {
    const { change, known: after } = diff(before, now, false);
    expect(change).toMatchObject({ action, sequence: at(5), subject: identity.subject });
    expect(after).toMatchObject({ version: at(5), deleted: now.deletedAt !== null });
  });

  it.each([
    ['the same', known(5), seen(5)],
    ['the same with other fields', known(5), seen(5, { name: 'signed again' })],
    ['an older one', known(5), seen(4, { name: 'L0' })],
    ['an older deleted one', known(5), seen(4, deletedAt(4))],
    ['the same that was deleted', known(5, deletedAt(5)), seen(5, deletedAt(5))],
  ])('finds no change and nothing to save in %s', (_, before, now) => {
    expect(diff(before, now, false)).toEqual({});
  });

  it.each([seen(5), seen(5, deletedAt(5))])('learns in silence what a baseline finds', (now) => {
    const { change, known: after } = diff(undefined, now, true);
    expect(change).toBeUndefined();
    expect(after).toMatchObject({ version: at(5), content: now.object });
  });

  it('raises what changed since the baseline saw it, though the baseline goes on', () => {
    expect(diff(known(4), seen(5), true).change?.action).toBe('updated');
  });

  it('says that a delete happened at deleted_at, and anything else at updated_at', () => {
    expect(diff(known(1), seen(5, deletedAt(4)), false).change?.time).toBe(at(4));
    expect(diff(known(1), seen(5), false).change?.time).toBe(at(5));
    expect(diff(known(1, deletedAt(1)), seen(5, deletedAt(1)), false).change?.time).toBe(at(5));
  });
});

it('tells nothing of fields of what is created, which has no past', () => {
  const { change } = diff(undefined, seen(2), false);
  expect(change?.changed).toEqual([]);
  expect(change?.previous).toBeUndefined();
});

describe('the digests of nested lists', () => {
  const before: EntityState = { ...known(5), nested: { items: 'old', photos: 'old' } };
  const showing = (second: number, nested: Record<string, string>): ObservedEntity => ({
    ...seen(second),
    nested,
  });

  it('are saved without a change when a list moved and its parent did not', () => {
    expect(diff(before, showing(5, { items: 'old', photos: 'new' }), false)).toEqual({
      known: { ...before, nested: { items: 'old', photos: 'new' } },
    });
  });

  it('are kept of a list that the page does not show', () => {
    expect(diff(before, showing(5, { items: 'new' }), false)).toEqual({
      known: { ...before, nested: { items: 'new', photos: 'old' } },
    });
  });

  it('are saved of a parent that was known without lists', () => {
    expect(diff(known(5), showing(5, { items: 'new' }), false)).toEqual({
      known: { ...known(5), nested: { items: 'new' } },
    });
  });

  it.each([
    ['of lists that did not move', showing(5, { items: 'old', photos: 'old' })],
    ['of an older answer', showing(4, { items: 'older', photos: 'older' })],
  ])('%s are not saved again', (_, now) => {
    expect(diff(before, now, false)).toEqual({});
  });
});

describe('a nested entity that is missing from its list', () => {
  it('was deleted when its parent changed', () => {
    const { change, known: after } = diffMissing(known(4), identity, at(9));
    expect(change).toMatchObject({
      action: 'deleted',
      sequence: at(9),
      time: at(9),
      object: { name: 'L1' },
      changed: [],
    });
    expect(after).toMatchObject({ deleted: true, missing: true, version: at(4), sequence: at(9) });
  });

  it('was deleted after its last event even if its parent is older', () => {
    const { change } = diffMissing(known(4), identity, at(4));
    expect(change?.sequence).toBe('2026-03-02T08:00:04.001Z');
  });

  it('is no change when it was deleted already', () => {
    expect(diffMissing(known(4, deletedAt(4)), identity, at(9))).toEqual({});
  });

  it('is restored when it comes back, though its own version never moved', () => {
    const missing = diffMissing(known(4), identity, at(9)).known;
    const { change, known: after } = diff(missing, seen(4), false);
    expect(change).toMatchObject({ action: 'restored', sequence: '2026-03-02T08:00:09.001Z' });
    expect(after).toMatchObject({ version: at(4), deleted: false });
    expect(after).not.toHaveProperty('missing');
  });

  it('is not restored by an answer that shows it deleted', () => {
    const missing = diffMissing(known(4), identity, at(9)).known;
    expect(diff(missing, seen(4, deletedAt(4)), false)).toEqual({});
  });

  it('comes back after it was deleted, also when its version is just that of the delete', () => {
    const missing = diffMissing(known(4), identity, at(9)).known;
    expect(diff(missing, seen(9), false).change).toMatchObject({
      action: 'restored',
      sequence: '2026-03-02T08:00:09.001Z',
    });
  });

  it('then has its next own change reported, although that is older than the worked-out sequence', () => {
    const missing = diffMissing(known(4), identity, at(9)).known;
    const back = diff(missing, seen(4), false).known;
    const { change } = diff(back, seen(6, { name: 'L2' }), false);
    expect(change).toMatchObject({ action: 'updated', changed: ['name'] });
    expect(change?.sequence).toBe('2026-03-02T08:00:09.002Z');
  });

  it('is identified even when its content was not kept', () => {
    const { content, ...rest } = known(4);
    expect(content).toBeDefined();
    expect(diffMissing(rest, identity, at(9)).change?.object).toEqual({ id: 'f' });
  });
});

describe('a verdict that was announced', () => {
  const missing = diffMissing(known(4), identity, at(9)).known;
  const back = diff(missing, seen(6), false).known;
  const { content, ...contentless } = known(4);

  /** What the store gives back of what was announced. */
  function stored(verdict: Diff): EntityState[] {
    return JSON.parse(JSON.stringify(addToOutbox(verdict))) as EntityState[];
  }

  it.each([
    ['created', diff(undefined, seen(5), false)],
    ['updated', diff(known(4), seen(5, { name: 'L2' }), false)],
    ['updated, without its old values', diff(contentless, seen(5), false)],
    ['deleted, some time before it was updated', diff(known(1), seen(5, deletedAt(4)), false)],
    ['updated after it was deleted', diff(known(4, deletedAt(4)), seen(5, deletedAt(4)), false)],
    ['missing', diffMissing(known(4), identity, at(9))],
    ['missing, and was never kept whole', diffMissing(contentless, identity, at(9))],
    [
      'missing, though it once had been deleted',
      diffMissing({ ...known(4), content: { ...content, ...deletedAt(2) } }, identity, at(9)),
    ],
    ['back, with an older time than its sequence', diff(missing, seen(6), false)],
    ['updated, with an older time than its sequence', diff(back, seen(7, { name: 'L2' }), false)],
  ])('is the same once more: %s', (_, verdict) => {
    const [item] = stored(verdict);
    if (item?.pendingEvent === undefined) throw new Error('nothing was announced');
    expect(replayFromOutbox({ ...item, pendingEvent: item.pendingEvent }, identity)).toStrictEqual(
      JSON.parse(JSON.stringify(verdict)),
    );
  });

  it('takes the content that was too large to keep from what is seen, if that is the same', () => {
    const verdict = diff(known(4), seen(5, { name: 'L' }), false);
    const [item] = stored(verdict);
    if (item?.pendingEvent === undefined) throw new Error('nothing was announced');
    const { content: _, ...cut } = item;
    const pendingEvent = { ...cut, pendingEvent: item.pendingEvent };
    const objectIn = (now?: ObservedEntity) =>
      replayFromOutbox(pendingEvent, identity, now).change.object;
    expect(objectIn(seen(5, { name: 'L' }))).toEqual(verdict.change?.object);
    expect(objectIn(seen(6, { name: 'M' }))).toEqual({ id: identity.id });
    expect(objectIn()).toEqual({ id: identity.id });
  });

  it('is nothing where there is no change to publish', () => {
    expect(addToOutbox(diff(known(5), seen(5), false))).toEqual([]);
    expect(addToOutbox(diff(undefined, seen(5), true))).toEqual([]);
  });
});
