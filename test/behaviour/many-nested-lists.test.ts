import { expect, it } from 'vitest';
import { timeAt } from '../support/list-service.ts';
import { entityAt, liveSite } from '../support/site.ts';

const ITEMS = 20_000;

it('raises an event for each of 20,000 items of a checklist, and later for each that changes', async () => {
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
    'template_checklist.updated c',
    'template_check_item.updated item-1',
  ]);
});
