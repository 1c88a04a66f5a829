import { describe, expect, it } from 'vitest';
import { diff } from '../../../../functions/core/changes/diff.ts';
import { StateGroups } from '../../../../functions/core/changes/groups.ts';
import type { ObservedList } from '../../../../functions/core/changes/list-changes.ts';
import {
  detectNestedChanges,
  type NestedChanges,
  type NestedContext,
} from '../../../../functions/core/changes/nested-changes.ts';
import { nestedLists, type NestedList } from '../../../../functions/core/changes/nested-lists.ts';
import { observe } from '../../../../functions/core/changes/observed-entity.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import type { Entity, JsonObject } from '../../../../functions/core/model/entity.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { StateStore } from '../../../../functions/core/ports/state-store.ts';
import { intercept } from '../../../support/intercept.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { eventOf, feedOf } from '../../../support/samples.ts';
import { entityAt } from '../../../support/site.ts';

const FEED = 'projects/p/template_checklists';
const { projects, perProject } = makeCatalog();
const checklists = perProject.find(({ name }) => name === 'template_checklists') ?? projects;
const parentKey = {
  key: 'template_checklist#c',
  entity: 'template_checklist',
  id: 'c',
  subject: '/projects/p/template_checklists/c',
};
const parent: Entity = { id: 'c', updated_at: timeAt(10) };

/** The list of check items that a checklist shows. */
function listOf(items: readonly JsonObject[]): NestedList {
  const shown = { ...parent, template_check_items: items };
  const [list] = nestedLists(checklists, shown, parentKey.subject);
  if (list === undefined) throw new Error('no list was shown');
  return list;
}

/** The items of a checklist, which is new or has a state without them. */
function ofParent(items: readonly JsonObject[], hasState: boolean): ObservedList {
  const observed = observe(parentKey, parent);
  return {
    parent: observed,
    parentState: hasState ? diff(undefined, observed, true).state : undefined,
    list: listOf(items),
  };
}

/** The items of another checklist, which has a state without them. */
function ofOther(items: readonly JsonObject[]): ObservedList {
  const key = {
    ...parentKey,
    ...{ key: 'template_checklist#d', id: 'd', subject: '/projects/p/template_checklists/d' },
  };
  const observed = observe(key, { ...parent, id: 'd' });
  return {
    parent: observed,
    parentState: diff(undefined, observed, true).state,
    list: listOf(items),
  };
}

/** A store with items `i` and `k` of the checklist, and the keys or prefixes it was asked for. */
async function storeWithItems() {
  const memory = new MemoryStore();
  const states = ['i', 'k'].map((id): EntityState => ({
    key: `template_check_item#c#${id}`,
    version: timeAt(5),
    sequence: timeAt(5),
    deleted: false,
    content: () => entityAt(id, 5),
  }));
  await memory.saveStates(FEED, states);
  const asked: unknown[] = [];
  const store = intercept(memory, ({ name, parameters, proceed }) => {
    asked.push(name === 'loadLiveChildren' ? parameters[1] : [...(parameters[1] as string[])]);
    return proceed();
  });
  return { store, asked };
}

function contextWith(store: StateStore, isBaseline: boolean): NestedContext {
  const feed = feedOf({ id: FEED, projectId: 'p', phase: isBaseline ? 'baseline' : 'live' });
  return {
    feed,
    store,
    answer: { readAt: undefined, lookbackMs: 0 },
    toEvent: ({ id }) => eventOf(id),
    groupSize: 200,
  };
}

/** The only group of a small list. */
async function detectIn(list: ObservedList, context: NestedContext): Promise<NestedChanges> {
  const [group, ...others] = await Array.fromAsync(detectNestedChanges([list], context));
  if (group === undefined || others.length > 0) throw new Error('there must be one group');
  return group;
}

const told = ({ diffs }: NestedChanges): string[] =>
  diffs.flatMap(({ change }) => (change ? [`${change.action} ${change.id}`] : []));

async function actionsOf(list: ObservedList, isBaseline: boolean): Promise<string[]> {
  const { store } = await storeWithItems();
  return told(await detectIn(list, contextWith(store, isBaseline)));
}

describe('the digest of a nested list', () => {
  const item: JsonObject = { id: 'i', updated_at: timeAt(5), deleted_at: timeAt(5) };
  const { digest } = listOf([item]);

  it.each([
    ['another item', [{ ...item, id: 'k' }]],
    ['another version of an item', [{ ...item, updated_at: timeAt(6) }]],
    ['an item that is no longer deleted', [{ ...item, deleted_at: null }]],
    ['one more item', [item, { ...item, id: 'k' }]],
    ['one more invalid item', [item, { id: 'not/usable' }]],
    ['no item', []],
    ['an item whose id ends like a version', [{ ...item, id: `i${timeAt(5)}`, deleted_at: null }]],
  ])('differs for %s', (_, items) => {
    expect(listOf(items).digest).not.toBe(digest);
  });

  it('does not depend on other fields of an item', () => {
    expect(listOf([{ ...item, photo_url: 'signed again' }]).digest).toBe(digest);
  });

  it('does not tell deleted_at null from absent', () => {
    const { deleted_at, ...withoutIt } = item;
    expect(deleted_at).toBeDefined();
    expect(listOf([withoutIt]).digest).toBe(listOf([{ ...item, deleted_at: null }]).digest);
  });
});

describe('an item that is missing from its list', () => {
  const withoutK = [entityAt('i', 5)];

  it.each([
    ['is deleted', true, false, ['deleted k']],
    ['is deleted in the baseline', true, true, ['deleted k']],
    // Its event may have been published.
    ['is deleted', false, false, ['deleted k']],
    // A run that died has saved it, and may have told a change of it.
    ['is deleted in the baseline', false, true, ['deleted k']],
  ])('%s; its parent has a state: %s', async (_, hasState, isBaseline, actions) => {
    expect(await actionsOf(ofParent(withoutK, hasState), isBaseline)).toEqual(actions);
  });
});

describe('the store', () => {
  const [i, k] = ['template_check_item#c#i', 'template_check_item#c#k'];
  const live = 'template_check_item#c#';

  it.each([
    ['the live items, and those that are missing', [5], [live, [k]]],
    ['the live items, and those that changed', [6, 5], [live, [i]]],
    ['the live items alone if none differs', [5, 5], [live]],
  ])('is asked only for %s', async (_, seconds, expected) => {
    const { store, asked } = await storeWithItems();
    const items = seconds.map((second, n) => entityAt(['i', 'k'][n] ?? '', second));
    await detectIn(ofParent(items, true), contextWith(store, false));
    expect(asked).toEqual(expected);
  });
});

it('a pending event is told also beside an invalid item, although a missing item says nothing there', async () => {
  const { store } = await storeWithItems();
  const pendingEvent = { action: 'created', changed: [] } as const;
  const states = await store.loadStates(FEED, ['template_check_item#c#k']);
  const saved = [...states.values()].map((state) => ({ ...state, pendingEvent }));
  await store.saveStates(FEED, saved);
  const list = ofParent([{ id: 'invalid', updated_at: 'yesterday' }], true);
  const groups = detectNestedChanges([list], contextWith(store, false));
  const found = [];
  for await (const group of groups) {
    found.push(told(group));
    await store.saveStates(
      FEED,
      group.diffs.flatMap(({ state }) => state ?? []),
    );
  }
  expect(found).toEqual([['created k'], []]);
});

it('items are compared in groups; the parent is marked with the first, and invalid ones come with it', async () => {
  const items = ['a', 'b', 'c'].map((id) => entityAt(id, 6));
  const list = ofParent([...items, { id: 'invalid', updated_at: 'yesterday' }], true);
  const context = { ...contextWith(new MemoryStore(), false), groupSize: 2 };
  const groups = await Array.fromAsync(detectNestedChanges([list], context));
  expect(groups.map(told)).toEqual([['created a', 'created b'], ['created c']]);
  expect(groups.map(({ outbox }) => outbox.items.length)).toEqual([2, 1]);
  expect(groups.map(({ outbox }) => outbox.parents.length)).toEqual([1, 0]);
  expect(groups.map(({ invalid }) => invalid.length)).toEqual([1, 0]);
  expect(groups.map(({ isLast }) => isLast)).toEqual([false, true]);
});

it('an item that cannot be worked leaves its list without a digest, and the others as they are', async () => {
  const { store } = await storeWithItems();
  const broken = intercept(store, async ({ name, proceed }) => {
    const states = await proceed();
    if (name !== 'loadStates') return states;
    const content = () => {
      throw new Error('cannot be read');
    };
    return new Map(
      [...(states as Map<string, EntityState>)].map(([k, s]) => [k, { ...s, content }]),
    );
  });
  const lists = [ofParent([entityAt('i', 6), entityAt('k', 5)], true), ofOther([entityAt('n', 6)])];
  const groups = await Array.fromAsync(detectNestedChanges(lists, contextWith(broken, false)));
  expect(groups.flatMap(told)).toEqual(['created n']);
  expect(groups.flatMap(({ invalid }) => invalid)).toHaveLength(1);
  expect(groups.flatMap(({ withInvalid }) => withInvalid)).toEqual([lists[0]?.list]);
  expect(groups.flatMap(({ outbox }) => outbox.parents.map(({ key }) => key))).toEqual([
    'template_checklist#d',
  ]);
});

it('as many states of items are loaded at once as fit, whatever is missing', async () => {
  const memory = new MemoryStore({ stateBytes: 300 });
  const ids = Array.from({ length: 27 }, (_, n) => `m${n}`);
  const states = ids.map((id): EntityState => ({
    key: `template_check_item#c#${id}`,
    ...{ version: timeAt(5), sequence: timeAt(5), deleted: false },
    content: () => entityAt(id, 5),
  }));
  await memory.saveStates(FEED, states);
  const context = { ...contextWith(memory, false), stateGroups: new StateGroups(1_000) };
  const groups = await Array.fromAsync(detectNestedChanges([ofParent([], true)], context));
  expect(groups.map(({ diffs }) => diffs.length)).toEqual([20, 3, 3, 1]);
  expect(groups.flatMap(told)).toEqual(ids.map((id) => `deleted ${id}`));
});

it('no more keys of missing items are in memory than those of some lists, however many lists there are', async () => {
  const lists = Array.from({ length: 90 }, (_, n): ObservedList => {
    const key = { ...parentKey, key: `template_checklist#c${n}`, id: `c${n}` };
    const observed = observe(key, { ...parent, id: key.id });
    return { ...ofParent([], true), parent: observed };
  });
  let loaded = 0;
  const store = intercept(new MemoryStore(), ({ name, parameters, proceed }) => {
    if (name !== 'loadLiveChildren') return proceed();
    loaded += 1;
    const child = (n: number) => ({ key: `${String(parameters[1])}m${n}`, version: timeAt(5) });
    return Promise.resolve(
      Array.from({ length: 800 }, (__, n) => ({ ...child(n), isPending: false })),
    );
  });
  const groups = [];
  const loadedBy: number[] = [];
  for await (const group of detectNestedChanges(lists, contextWith(store, false))) {
    groups.push(group);
    loadedBy.push(loaded);
  }
  // Each list is done before more than those at once are loaded.
  expect([...new Set(loadedBy)]).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(groups.map(({ isLast }) => isLast).indexOf(true)).toBe(groups.length - 1);
  expect(groups).toHaveLength((90 * 800) / 200);
});

it('a new item is in the outbox also beside an invalid one, which makes the list incomplete', async () => {
  const items = [entityAt('new', 6), { id: 'invalid', updated_at: 'yesterday' }];
  const context = contextWith(new MemoryStore(), false);
  const { outbox } = await detectIn(ofParent(items, true), context);
  expect(outbox.items.map(({ key }) => key)).toEqual(['template_check_item#c#new']);
});
