import { expect, it } from 'vitest';
import { CaseSite, PLANS } from './case-site.ts';

it('Floorplans show their sheets as an array with addresses that change with each read: a new sheet is published', async () => {
  const sheet = { id: 's1', version: 1, updated_at: '2026-01-02T00:00:00.000Z', deleted_at: null };
  const site = new CaseSite({ config: { withCurrentSheet: true } });
  site.put(PLANS, 'f', { sheets: [{ ...sheet, file_url: 'https://files.example/a?sig=1' }] });
  await site.poll();
  const updated_at = new Date(site.time.now).toISOString();
  site.put(PLANS, 'f', { sheets: [{ ...sheet, id: 's2', version: 2, updated_at }] });
  expect((await site.poll()).sort()).toEqual(['floorplan.updated f', 'sheet.created s2']);
});
