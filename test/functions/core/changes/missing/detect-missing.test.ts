import { describe, expect, it } from 'vitest';
import { detectChanges } from '../../../../../functions/core/changes/detect-changes.ts';
import {
  detectMissing,
  isInWindow,
  missingFrom,
} from '../../../../../functions/core/changes/missing/detect-missing.ts';
import type { EntityState } from '../../../../../functions/core/model/entity-state.ts';
import { validateEntities, type JsonObject } from '../../../../../functions/core/model/entity.ts';
import { newFeed } from '../../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../../support/list-service.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { eventOf, readState } from '../../../../support/samples.ts';
import { deletedAt, entityAt } from '../../../../support/site.ts';

const { projects, perProject } = makeCatalog();
const [floorplans = projects, checklists = projects] = perProject;
const feed = newFeed(floorplans, 'live', { id: 'p' });
const toEvent = ({ id }: { readonly id: string }) => eventOf(id);

const known: EntityState = {
  key: 'floorplan#f',
  version: timeAt(5),
  sequence: timeAt(5),
  deleted: false,
  content: () => entityAt('f', 5),
};

/** The changes of one missing floorplan. */
function detect(fields: Partial<EntityState> = {}, goneBy?: string) {
  const context = { feed, resource: floorplans, goneBy, toEvent };
  const { changes, states } = detectMissing([{ ...known, ...fields }], context);
  return { change: changes[0], state: readState(states.own[0]) };
}

describe('an entity that the service does not know any more', () => {
  it('is deleted with its last known object, at the millisecond after its last event', () => {
    const { change } = detect();
    expect(change).toMatchObject({
      action: 'deleted',
      subject: '/projects/p/floorplans/f',
      sequence: timeAt(5.001),
      time: timeAt(5.001),
      object: entityAt('f', 5),
      changed: [],
    });
  });

  it('has a sequence above all that may have been told of it: when its list was read', () => {
    expect(detect({}, timeAt(100)).change).toMatchObject({ sequence: timeAt(100) });
    expect(detect({}, timeAt(4)).change).toMatchObject({ sequence: timeAt(5.001) });
  });

  it('has the same event again after a crash, whenever it is told', () => {
    const context = { feed, resource: floorplans, goneBy: timeAt(100), toEvent };
    const first = detectMissing([known], context);
    const [pending] = first.outbox.items;
    if (pending === undefined) throw new Error('nothing is in the outbox');
    const again = detectMissing([pending], { ...context, goneBy: timeAt(200) });
    expect(again.changes).toEqual(first.changes);
    expect(readState(again.states.own[0])).toMatchObject({ deleted: true, version: timeAt(200) });
  });

  it('is remembered as missing since its list was read', () => {
    const { state } = detect({}, timeAt(100));
    expect(state).toMatchObject({ deleted: true, missing: true, version: timeAt(100) });
  });

  it('without content is told by its id', () => {
    const { content: _, ...rest } = known;
    const context = { feed, resource: floorplans, goneBy: undefined, toEvent };
    expect(detectMissing([rest], context).changes[0]?.object).toEqual({ id: 'f' });
  });

  it('that is deleted already is not told again', () => {
    expect(detect({ deleted: true })).toEqual({ change: undefined, state: undefined });
  });

  it('is, if its event cannot be made, invalid, and the others are told', () => {
    const context = {
      ...{ feed, resource: floorplans, goneBy: undefined },
      toEvent: ({ id }: { readonly id: string }) => {
        if (id === 'f') throw new Error('made to fail');
        return eventOf(id);
      },
    };
    const { changes, invalid } = detectMissing([known, { ...known, key: 'floorplan#g' }], context);
    expect(changes.map(({ id }) => id)).toEqual(['g']);
    expect(invalid).toMatchObject([{ value: { id: 'f' } }]);
  });

  it('is, as a project, one whose lists are to be parked', () => {
    const ofProjects = newFeed(projects, 'live');
    const state = { ...known, key: 'project#p', content: () => entityAt('p', 5) };
    const context = { feed: ofProjects, resource: projects, goneBy: undefined, toEvent };
    expect(detectMissing([state], context).projects).toMatchObject([
      { entity: { id: 'p', updated_at: timeAt(5) }, deleted: true, saved: { deleted: false } },
    ]);
  });
});

describe('an entity that was missing and is shown again', () => {
  /** Its change by an answer that was read at a second, 10 seconds of lookback. */
  async function shownAt(second: number | undefined, entity: JsonObject, isUntold = false) {
    const store = new MemoryStore();
    const context = { feed, resource: floorplans, goneBy: timeAt(100), toEvent };
    const { outbox, states } = detectMissing([known], context);
    await store.saveStates(feed.id, isUntold ? outbox.items : states.own);
    const page = {
      ...validateEntities([entity]),
      hasMore: false,
      ...(second !== undefined && { readAfter: timeAt(second) }),
    };
    const options = { caughtUpAt: undefined, lookbackMs: 10_000, toEvent };
    const [part] = await Array.fromAsync(detectChanges(page, feed, floorplans, store, options));
    return { told: part?.changes.map(({ action }) => action), isUndecided: part?.isUndecided };
  }

  it.each<[string, number | undefined, JsonObject, readonly string[]]>([
    ['is restored, as it was', 122, entityAt('f', 5), ['restored']],
    ['is restored if nobody knows when it was read', undefined, entityAt('f', 5), ['restored']],
    ['stays deleted if it says so', 109, entityAt('f', 5, deletedAt(5)), []],
  ])('%s', async (_, second, entity, told) => {
    expect(await shownAt(second, entity)).toEqual({ told, isUndecided: false });
  });

  it.each([
    ['as it was', 5],
    ['as nobody saw it before', 50],
    ['newer, by a clock that may be ahead', 101],
  ])('is not told by a copy that may lag, %s', async (_, version) => {
    const undecided = { told: [], isUndecided: true };
    expect(await shownAt(120, entityAt('f', version))).toEqual(undecided);
    expect(await shownAt(120, entityAt('f', version), true)).toEqual(undecided);
  });

  it('is deleted before it is restored, if its delete is in the outbox', async () => {
    const told = ['deleted', 'restored'];
    expect(await shownAt(122, entityAt('f', 5), true)).toEqual({ told, isUndecided: false });
  });
});

describe('the window of a list that was read', () => {
  it.each([
    [timeAt(1), false],
    [timeAt(2), true],
    [timeAt(3), true],
    [timeAt(4), false],
  ])('from 1 to 3 has %s: %j', (version, expected) => {
    expect(isInWindow(version, { from: timeAt(1), to: timeAt(3) })).toBe(expected);
  });

  it('lacks what is known and was not shown, also if its delete may be untold', () => {
    const of = (id: string, isPending = false) => ({ key: id, version: timeAt(1), isPending });
    const missing = missingFrom(new Set(['a']), [of('a'), of('b'), of('c', true)]);
    expect(missing.map(({ key }) => key)).toEqual(['b', 'c']);
  });
});

describe('nested lists that look as they did', () => {
  const listOfChecklists = newFeed(checklists, 'live', { id: 'p' });
  const items = [entityAt('i', 5), entityAt('j', 5)];
  const page = {
    ...validateEntities([entityAt('c', 5, { template_check_items: items })]),
    hasMore: false,
  };

  /** Compares the page, and saves what it finds. */
  async function compare(store: MemoryStore, comparesAllLists: boolean): Promise<string[]> {
    const options = { caughtUpAt: undefined, lookbackMs: 0, toEvent, comparesAllLists };
    const told: string[] = [];
    for await (const part of detectChanges(page, listOfChecklists, checklists, store, options)) {
      told.push(...part.changes.map(({ action, id }) => `${action} ${id}`));
      const { outbox, states } = part;
      for (const saved of [outbox.parents, outbox.items, states.nested, states.own])
        await store.saveStates(listOfChecklists.id, saved);
    }
    return told;
  }

  it('are compared all the same where items may be lost, and then are known again', async () => {
    const store = new MemoryStore();
    await compare(store, false);
    const before = await store.loadStates(listOfChecklists.id, ['template_checklist#c']);
    store.lose(listOfChecklists.id, 'template_check_item#c#i');
    expect(await compare(store, false)).toEqual([]);
    expect(await compare(store, true)).toEqual(['created i']);
    const after = await store.loadStates(listOfChecklists.id, ['template_checklist#c']);
    const nestedIn = (states: typeof before) => [...states.values()].map(({ nested }) => nested);
    expect(nestedIn(after)).toEqual(nestedIn(before));
    expect(await compare(store, true)).toEqual([]);
  });
});
