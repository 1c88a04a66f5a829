import { describe, expect, it } from 'vitest';
import { diff, diffMissing, type Diff } from '../../../../functions/core/changes/diff.ts';
import type { ObservedEntity } from '../../../../functions/core/changes/observed-entity.ts';
import {
  addToOutbox,
  diffFromOutbox,
  replayFromOutbox,
} from '../../../../functions/core/changes/outbox.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { readState } from '../../../support/samples.ts';
import { deletedAt } from '../../../support/site.ts';
import { identity, observedAt, stateAt } from './floorplan.ts';

/** The state with the pending event of a diff, as the store returns it. */
async function storedOutbox(diff: Diff, maxEntityBytes?: number) {
  const store = new MemoryStore(maxEntityBytes === undefined ? {} : { maxEntityBytes });
  await store.saveStates('feed', addToOutbox(diff));
  const state = (await store.loadStates('feed', [identity.key])).get(identity.key);
  if (state?.pendingEvent === undefined) throw new Error('the outbox is empty');
  return { ...state, pendingEvent: state.pendingEvent };
}

function plainDiff({ change, state }: Diff): unknown {
  return JSON.parse(JSON.stringify({ change, state: readState(state) }));
}

describe('the outbox', () => {
  const missing = diffMissing(stateAt(4), identity, timeAt(9)).state;
  const back = diff(missing, observedAt(6), false).state;
  const { content, ...contentless } = stateAt(4);
  const onceDeleted: EntityState = {
    ...stateAt(4),
    content: () => ({ ...content?.(), ...deletedAt(2) }),
  };

  it.each([
    ['created', diff(undefined, observedAt(5), false)],
    ['updated', diff(stateAt(4), observedAt(5, { name: 'L2' }), false)],
    ['updated, without old values', diff(contentless, observedAt(5), false)],
    ['deleted before its last update', diff(stateAt(1), observedAt(5, deletedAt(4)), false)],
    ['updated, deleted', diff(stateAt(4, deletedAt(4)), observedAt(5, deletedAt(4)), false)],
    ['missing', diffMissing(stateAt(4), identity, timeAt(9))],
    ['missing, without content', diffMissing(contentless, identity, timeAt(9))],
    ['missing, once deleted', diffMissing(onceDeleted, identity, timeAt(9))],
    ['back, with a version below its sequence', diff(missing, observedAt(6), false)],
    ['updated, below its sequence', diff(back, observedAt(7, { name: 'L2' }), false)],
  ])('replays the same event: %s', async (_, pending) => {
    const replayed = replayFromOutbox(await storedOutbox(pending), identity);
    expect(plainDiff(replayed ?? {})).toStrictEqual(plainDiff(pending));
  });

  it('takes content that was too large to keep from an observation of the same version', async () => {
    const pending = diff(stateAt(4), observedAt(5, { name: 'L' }), false);
    const { content: _, ...cut } = await storedOutbox(pending);
    const objectWith = (observed?: ObservedEntity) =>
      replayFromOutbox(cut, identity, observed)?.change.object;
    expect(objectWith(observedAt(5, { name: 'L' }))).toEqual(pending.change?.object);
    expect(objectWith(observedAt(6, { name: 'M' }))).toBeUndefined();
    expect(objectWith()).toBeUndefined();
  });

  const live = () => stateAt(4);
  const gone = () => stateAt(4, deletedAt(4));
  const [went, there] = [deletedAt(5), {}];
  it.each([
    ['created', undefined, there, 'created', 'deleted', 'deleted'],
    ['updated', live(), there, 'updated', 'deleted', 'deleted'],
    ['updated, deleted', gone(), went, 'restored', 'updated', 'deleted'],
    ['deleted', live(), went, 'updated', 'deleted', 'deleted'],
    ['restored', gone(), there, 'restored', 'updated', 'deleted'],
  ])(
    'tells a change whose content is lost with the next one: %s',
    async (_, before, fields, ...actions) => {
      const pending = diff(before, observedAt(5, { name: 'L', ...fields }), false);
      const { content: _content, ...cut } = await storedOutbox(pending);
      const next = [observedAt(6, { size: 1 }), observedAt(6, { size: 1, ...went }), undefined];
      const found = next.map((each) => diffFromOutbox(cut, identity, each, timeAt(7)));
      expect(found.map(({ change }) => change?.action)).toEqual(actions);
      const [present, , missing] = found;
      expect(present?.change?.sequence).toBe(timeAt(6));
      expect(missing?.change).toMatchObject({ sequence: timeAt(7), object: { id: identity.id } });
      expect(found.every(({ state }) => state?.pendingEvent === undefined)).toBe(true);
      if (before)
        expect(present?.change?.changed).toEqual(expect.arrayContaining(['name', 'size']));
    },
  );

  it('tells every field as changed when their names were too large to keep', async () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field ${i}`, i]));
    const pending = diff(stateAt(4), observedAt(5, fields), false);
    const cut = await storedOutbox(pending, 300);
    const changes = [
      replayFromOutbox(cut, identity, observedAt(5, fields))?.change,
      diffFromOutbox(cut, identity, observedAt(6, fields), timeAt(7)).change,
    ];
    for (const change of changes) {
      expect(change?.changed).toEqual(expect.arrayContaining([...(pending.change?.changed ?? [])]));
      expect(change?.changed).not.toContain('updated_at');
    }
  });

  it('stays empty without a change to publish', () => {
    expect(addToOutbox(diff(stateAt(5), observedAt(5), false))).toEqual([]);
    expect(addToOutbox(diff(undefined, observedAt(5), true))).toEqual([]);
  });
});
