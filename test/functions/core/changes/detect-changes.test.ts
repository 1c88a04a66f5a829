import { describe, expect, it } from 'vitest';
import { detectChanges } from '../../../../functions/core/changes/detect-changes.ts';
import { StateGroups } from '../../../../functions/core/changes/groups.ts';
import { invalidState } from '../../../../functions/core/changes/invalid-entity.ts';
import type { ToEvent } from '../../../../functions/core/changes/tell.ts';
import { validateEntities } from '../../../../functions/core/model/entity.ts';
import { feedPath } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { eventOf, feedOf } from '../../../support/samples.ts';
import { entityAt } from '../../../support/site.ts';

const { projects, perProject } = makeCatalog();
const checklists = perProject.find(({ name }) => name === 'template_checklists') ?? projects;
const feed = feedOf({ id: feedPath(checklists, 'p').slice(1), projectId: 'p' });

/** Compares a page of a checklist with two items, and another checklist. One of them has no event. */
async function detectWithout(unlucky: string, store: MemoryStore) {
  const toEvent: ToEvent = ({ id }) => {
    if (id === unlucky) throw new Error('made to fail');
    return eventOf(id);
  };
  const items = [entityAt('i', 5), entityAt('j', 5)];
  const found = [entityAt('c', 5, { template_check_items: items }), entityAt('d', 5)];
  const page = { ...validateEntities(found), hasMore: false };
  const options = { caughtUpAt: undefined, lookbackMs: 0, toEvent };
  const [part] = await Array.fromAsync(detectChanges(page, feed, checklists, store, options));
  if (part === undefined) throw new Error('the page has no part');
  return part;
}

describe.each([
  ['c', ['d', 'i', 'j']],
  ['i', ['c', 'd', 'j']],
])('an entity whose event cannot be made: %s', (unlucky, others) => {
  it('is invalid, and the rest of its page is processed', async () => {
    const { changes, states, outbox, invalid } = await detectWithout(unlucky, new MemoryStore());
    expect(changes.map(({ id }) => id)).toEqual(others);
    expect([...states.own, ...states.nested].map(({ key }) => key.at(-1))).toEqual(others);
    const items = others.filter((id) => id === 'i' || id === 'j');
    expect(outbox.items.map(({ key }) => key.at(-1))).toEqual(items);
    const reason = 'the entity could not be processed: Error: made to fail';
    expect(invalid).toMatchObject([{ value: { id: unlucky }, reason }]);
  });

  it('is not invalid again once it is in the quarantine', async () => {
    const store = new MemoryStore();
    const { invalid } = await detectWithout(unlucky, store);
    await store.saveStates(feed.id, invalid.map(invalidState));
    const again = await detectWithout(unlucky, store);
    expect(again.invalid).toEqual([]);
    expect(again.changes.map(({ id }) => id)).toEqual(others);
  });
});

it('compares each entity of a page once, whatever the size of its groups', async () => {
  const found = Array.from({ length: 150 }, (_, n) => entityAt(`c${n}`, 5));
  const page = { ...validateEntities(found), hasMore: false };
  const toEvent: ToEvent = ({ id }) => eventOf(id);
  const stateGroups = new StateGroups(1e6);
  const options = { caughtUpAt: undefined, lookbackMs: 0, toEvent, stateGroups };
  const parts = detectChanges(page, feed, checklists, new MemoryStore(), options);
  const sizes: [number, boolean][] = [];
  const ids: string[] = [];
  for await (const { changes, isLast } of parts) {
    sizes.push([changes.length, isLast]);
    ids.push(...changes.map(({ id }) => id));
  }
  expect(sizes).toEqual([
    [20, false],
    [100, false],
    [30, true],
  ]);
  expect(ids).toEqual(found.map(({ id }) => id));
});

/** What a page of a checklist with these items has, read at a second, 10 seconds of lookback. */
async function detectItems(items: readonly object[], second: number, store: MemoryStore) {
  const found = [entityAt('c', 5, { template_check_items: items })];
  const page = { ...validateEntities(found), hasMore: false, readAfter: timeAt(second) };
  const toEvent: ToEvent = ({ id }) => eventOf(id);
  const options = { caughtUpAt: undefined, lookbackMs: 10_000, toEvent };
  const [part] = await Array.fromAsync(detectChanges(page, feed, checklists, store, options));
  if (part === undefined) throw new Error('the page has no part');
  return part;
}

it.each([
  [14, { changes: [], isUndecided: true, isNews: false }],
  [16, { changes: [{ id: 'j', action: 'deleted' }], isUndecided: false, isNews: true }],
])(
  'decides on a missing item once the list is certainly newer: read at %i',
  async (second, expected) => {
    const store = new MemoryStore();
    const known = await detectItems([entityAt('i', 5), entityAt('j', 5)], 6, store);
    await store.saveStates(feed.id, [...known.states.nested, ...known.states.own]);
    const part = await detectItems([entityAt('i', 5)], second, store);
    expect(part).toMatchObject(expected);
    // The digest of a list that is undecided would hide it the next time.
    await store.saveStates(feed.id, part.states.own);
    expect(await detectItems([entityAt('i', 5)], second, store)).toMatchObject({
      isUndecided: expected.isUndecided,
    });
  },
);

it('takes a page with nothing but an invalid entity for news', async () => {
  const page = { ...validateEntities([{ id: 'x' }]), hasMore: false };
  const options = { caughtUpAt: undefined, lookbackMs: 0, toEvent: () => eventOf('x') };
  const parts = detectChanges(page, feed, checklists, new MemoryStore(), options);
  expect(await Array.fromAsync(parts)).toMatchObject([
    {
      isNews: true,
      isUndecided: false,
      readAgainFrom: undefined,
      invalid: [{ value: { id: 'x' } }],
    },
  ]);
});
