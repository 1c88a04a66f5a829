import { expect, it } from 'vitest';
import { intercept } from '../support/intercept.ts';
import { entityAt, liveSite } from '../support/site.ts';

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
