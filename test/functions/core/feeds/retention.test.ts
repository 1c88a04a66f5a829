import { expect, it } from 'vitest';
import { withRetention } from '../../../../functions/core/feeds/retention.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { stateOf } from '../../../support/samples.ts';

const LIST = 'projects/p/floorplans';
const RETENTION_MS = 1000;
const START = Date.parse('2026-03-02T09:00:00.000Z');
const EARLY = stateOf('f');
const DELETED: EntityState = { ...EARLY, deleted: true };

/** A table whose deleted entities are forgotten, and its plain view. */
function openTable() {
  const plain = new MemoryStore();
  const clock = new ManualClock(START);
  /** The table of a run that begins now. */
  const beginRun = () => withRetention(plain, clock, RETENTION_MS);
  return {
    clock,
    beginRun,
    save: (state: EntityState) => beginRun().saveStates(LIST, [state]),
    /** The saved end of the entity. */
    end: async () => (await plain.loadStates(LIST, [EARLY.key])).get(EARLY.key)?.expiresAt,
  };
}

it('A deleted entity is forgotten the retention after it was saved, or after its time if that is later', async () => {
  const { save, end } = openTable();
  await save(DELETED);
  expect(await end()).toBe(START + RETENTION_MS);
  await save({ ...DELETED, sequence: '2026-03-02T09:00:05.000Z' });
  expect(await end()).toBe(START + 5000 + RETENTION_MS);
});

it('An entity that is there, or whose event is not told yet, is not forgotten', async () => {
  const { save, end } = openTable();
  await save({ ...EARLY, expiresAt: 7 });
  expect(await end()).toBeUndefined();
  const pendingEvent = { action: 'deleted', changed: [], previous: {} } as const;
  await save({ ...DELETED, expiresAt: 7, pendingEvent });
  expect(await end()).toBeUndefined();
});

it('A run that begins at the end of an entity, or later, does not see it; one that began earlier does', async () => {
  const { save, clock, beginRun } = openTable();
  await save(DELETED);
  const isSeen = async (run: ReturnType<typeof beginRun>) => [
    (await run.loadStates(LIST, [EARLY.key])).size,
    (await run.loadStatesAfter(LIST, undefined)).states.length,
  ];
  clock.advance(RETENTION_MS - 1);
  const before = beginRun();
  clock.advance(1);
  expect(await isSeen(before)).toEqual([1, 1]);
  expect(await isSeen(beginRun())).toEqual([0, 0]);
});
