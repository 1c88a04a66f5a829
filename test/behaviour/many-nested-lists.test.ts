import { expect, it } from 'vitest';
import { intercept } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { entityAt, liveSite } from '../support/site.ts';

const ITEMS = 6_000;

it('raises an event for each of 6,000 items of a checklist, and later for each that changes', async () => {
  const site = await liveSite();
  const items = Array.from({ length: ITEMS }, (_, i) =>
    entityAt(`item-${i}`, 10, { name: `${i}` }),
  );
  site.checklist('p', 'c', 10, items);
  const created = await site.events();
  expect(created.length).toBe(ITEMS + 1);
  expect(new Set(created).size).toBe(ITEMS + 1);
  expect(site.quarantine.items).toEqual([]);

  const [, second] = items;
  site.checklist('p', 'c', 20, items.with(1, { ...second, updated_at: timeAt(20), name: 'new' }));
  expect(await site.events()).toEqual([
    'template_check_item.updated item-1',
    'template_checklist.updated c',
  ]);
});

/** A site with 60 checklists of 25 items each, which are all gone at the next poll. */
async function siteWithoutItems() {
  const site = await liveSite();
  const items = Array.from({ length: 25 }, (_, i) => entityAt(`i${i}`, 10));
  for (let n = 0; n < 60; n += 1) site.checklist('p', `c${n}`, 10 + n, items);
  await site.catchUp();
  for (let n = 0; n < 60; n += 1) site.checklist('p', `c${n}`, 100 + n, []);
  return { site, paging: { perPage: 100, lookbackMs: 0 } };
}

it('loads, publishes and saves missing items in groups, since no page says how much memory they take', async () => {
  const { site, paging } = await siteWithoutItems();
  const sizes: number[] = [];
  const store = intercept(site.store, ({ name, parameters, proceed }) => {
    if (name === 'loadStates' || name === 'saveStates')
      sizes.push((parameters[1] as unknown[]).length);
    return proceed();
  });
  const topic = intercept(site.topic, ({ parameters, proceed }) => {
    sizes.push((parameters[0] as unknown[]).length);
    return proceed();
  });
  const { events } = await site.poll({ paging }, { store, topic });
  expect(events).toMatchObject({ updated: 60, deleted: 1_500 });
  expect(Math.max(...sizes)).toBe(1_000);
  site.takeEvents();
  expect(await site.events({ paging })).toEqual([]);
});

it('goes on after the groups that a run which died has saved', async () => {
  const { site, paging } = await siteWithoutItems();
  let calls = 0;
  const topic = intercept(site.topic, ({ proceed }) => {
    calls += 1;
    return calls === 2 ? Promise.reject(new Error('died')) : proceed();
  });
  await expect(site.poll({ paging }, { topic })).rejects.toThrow('died');
  const saved = site.takeEvents();
  expect(saved).toHaveLength(1_000);
  site.clock.advance(120_000);
  await site.poll({ paging });
  const later = site.takeEvents();
  expect(later).toHaveLength(560);
  expect(new Set([...saved, ...later].map(({ id }) => id)).size).toBe(1_560);
});
