import { expect, it } from 'vitest';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { change } from '../support/change.ts';
import { timeAt } from '../support/list-service.ts';
import { knownSite, reconcile } from '../support/reconciled-site.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  type Site,
} from '../support/site.ts';

const catalog = makeCatalog({
  omit: {
    projects: ['token'],
    floorplans: ['token', 'file_url'],
    template_checklists: ['token'],
  },
});
const TOKEN = { token: 'concealed' };

/** Everything that left the notifier, or is kept by it. */
async function traces(site: Site): Promise<string> {
  const { topic, quarantine, telemetry, store } = site;
  const keys = ['projects', FEED, 'projects/p/template_checklists'].map(async (feed) => {
    const { states } = await store.loadStatesAfter(feed, undefined);
    return states.map((state) => [state, state.content?.()]);
  });
  const kept = await Promise.all(keys);
  return JSON.stringify([topic.published, quarantine.items, telemetry.logs, kept]);
}

it('omitted fields, of nested entities too, are not published, saved, quarantined or logged', async () => {
  const site = await liveSite();
  const item = entityAt('i', 10, TOKEN);
  site.project('p', 10, TOKEN);
  site.floorplan('p', 'f', 10, {
    ...TOKEN,
    sheets: [entityAt('s', 10, TOKEN), { id: 's2', updated_at: 'never', ...TOKEN }],
  });
  site.floorplan('p', 'g', 10, { current_sheet: entityAt('t', 10, TOKEN) });
  site.checklist('p', 'c', 10, [item, { ...item, id: '' }]);
  site.api.put(floorplansOf('p'), { ...entityAt('b', 10, TOKEN), deleted_at: 'never' });
  site.api.put(checklistsOf('p'), entityAt('d', 10, { template_check_items: TOKEN }));
  await site.poll({ catalog });
  expect(site.takeEvents()).toHaveLength(8);
  expect(site.quarantine.items).toHaveLength(4);
  const found = await traces(site);
  expect(found).toContain('current_sheet_id');
  expect(found).not.toContain('concealed');
});

it('an omitted field is not compared, and a change of config raises no event', async () => {
  const site = await liveSite();
  site.floorplan('p', 'f', 10, { file_url: 'one', name: 'F' });
  await site.catchUp();
  expect(await site.events({ catalog })).toEqual([]);
  site.floorplan('p', 'f', 20, { file_url: 'two', name: 'G' });
  await site.poll({ catalog });
  expect(site.takeEvents().map(({ data }) => [data.changed, data.previous])).toEqual([
    [['name'], { name: 'F' }],
  ]);
  site.floorplan('p', 'f', 30, { file_url: 'three', name: 'G' });
  await site.poll();
  expect(site.takeEvents().map(({ data }) => data.changed)).toEqual([['file_url']]);
});

it('what was saved before a field was omitted is not published', async () => {
  const site = await knownSite(4);
  site.floorplan('p', 'f3', 10, TOKEN);
  site.floorplan('p', 'f4', 10, TOKEN);
  site.floorplan('p', 'f5', 10, TOKEN);
  await site.catchUp();
  site.floorplan('p', 'f3', 20, deletedAt(20));
  await site.poll({ catalog });
  await change(site, { command: 'replay', scope: {}, since: timeAt(5) });
  await site.poll({ catalog });
  site.api.destroy(floorplansOf('p'), 'f5');
  const events = site.takeEvents();
  expect(events.map(({ cause, partitionkey }) => `${cause} ${partitionkey}`)).toEqual(
    expect.arrayContaining(['poll f3', 'replay f4', 'replay f5']),
  );
  const gone = await reconcile(site, {}, { catalog });
  expect(gone.published).toEqual(['floorplan.deleted f5']);
  expect(JSON.stringify([...events, ...gone.events])).not.toContain('token');
});
