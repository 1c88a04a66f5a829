import { expect, it } from 'vitest';
import { change } from '../support/change.ts';
import type { PageOptions } from '../support/virtual-service.ts';
import { CaseSite, PLANS, siteWith } from './case-site.ts';

const EDITED = '2026-03-02T08:01:00.000Z';

/** Creates floorplans, or edits them in a mixed order, a second apart. */
function editAll(site: CaseSite, count: number, from = site.time.now - count * 1000): void {
  for (let i = 0; i < count; i += 1) {
    const updated_at = new Date(from + ((i * 97) % count) * 1000).toISOString();
    site.put(PLANS, `f${String(i).padStart(3, '0')}`, { updated_at });
  }
}

it.each<[string, PageOptions['order']]>([
  ['its newest change', (a, b) => b.updated_at.localeCompare(a.updated_at)],
  ['its id, as those of creation', (a, b) => a.id.localeCompare(b.id)],
])('A list of several pages begins with %s: it is reported, and waits', async (_, order) => {
  const site = siteWith({ largestPage: 100, ...(order && { order }) }, { baseline: 'emit' });
  await site.poll();
  editAll(site, 250);
  expect(await site.poll(10)).toEqual([]);
  expect(site.reports.join()).toMatch(/ProtocolError.*floorplans/);
  expect(site.requests().length).toBeLessThan(12);
});

it('The service takes no cursor older than half an hour, as that of a quiet list: a reconcile goes on', async () => {
  const site = new CaseSite({
    answer: ({ url }, path, { time }) => {
      const since = Date.parse(new URL(url).searchParams.get('last_synced_at') ?? '');
      if (path !== PLANS || Number.isNaN(since) || since > time.now - 1_800_000) return undefined;
      return Response.json({ error: 'cursor_expired' }, { status: 410 });
    },
  });
  await site.poll(45);
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll(5)).toEqual([]);
  expect(site.reports.join()).toMatch(/410.*reconcile/);
  await change(site, { command: 'reconcile', scope: { resource: 'floorplans' } });
  expect(await site.poll()).toEqual(['floorplan.updated f']);
  site.put(PLANS, 'f', { name: 'again' });
  expect(await site.poll(5)).toEqual(['floorplan.updated f']);
});

it('Reading an entity changes its updated_at: a poll ends, and each entity is published once in it', async () => {
  const site = new CaseSite({
    answer: (request, path, { service, time }) => {
      if (path !== PLANS) return undefined;
      const page = service.page(request, { largestPage: 100 });
      const updated_at = new Date(time.now).toISOString();
      const touched = page.clone().json() as Promise<readonly { readonly id: string }[]>;
      void touched.then((shown) => {
        for (const { id } of shown) service.put(PLANS, { id, updated_at });
      });
      return page;
    },
  });
  editAll(site, 250);
  await site.poll();
  for (let run = 0; run < 5; run += 1) {
    const requestCount = site.requests().length;
    const events = await site.poll();
    expect(new Set(events).size).toBe(events.length);
    expect(site.requests().length - requestCount).toBeLessThan(10);
  }
  site.put('/projects', 'p', { name: 'renamed' });
  expect(await site.poll()).toContain('project.updated p');
});

it('The service answers 204 when nothing has changed: it is an empty page', async () => {
  const site = new CaseSite({
    answer: (_, path, { time }) =>
      path === PLANS && time.now < Date.parse(EDITED) + 600_000 && time.now > Date.parse(EDITED)
        ? new Response(null, { status: 204 })
        : undefined,
  });
  await site.poll(8);
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll(5)).toEqual(['floorplan.updated f']);
  expect(site.reports).toEqual([]);
});

it('A bulk edit gives more entities one time than a page has: reported, and a reconcile finds the rest', async () => {
  const site = siteWith({ largestPage: 100 });
  editAll(site, 250);
  await site.poll();
  const updated_at = new Date(site.time.now - 1).toISOString();
  for (let i = 0; i < 250; i += 1) {
    site.put(PLANS, `f${String(i).padStart(3, '0')}`, { name: 'edited', updated_at });
  }
  const polled = await site.poll(2);
  expect(site.telemetry.counted('SaturatedTimestamp')).toBeGreaterThan(0);
  expect(site.requests().length).toBeLessThan(15);
  await change(site, { command: 'reconcile', force: true, scope: { resource: 'floorplans' } });
  const reconciled = await site.poll(2);
  expect(polled.length).toBeGreaterThanOrEqual(100);
  expect(new Set([...polled, ...reconciled]).size).toBe(250);
});

it('The service ignores the name of our page-size header, and 120 entities share a time: reported, and later changes are found', async () => {
  const site = siteWith({ largestPage: 50 });
  await site.poll();
  const updated_at = new Date(site.time.now - 1).toISOString();
  for (let i = 0; i < 120; i += 1) site.put(PLANS, `f${i}`, { updated_at });
  expect((await site.poll(2)).length).toBeGreaterThanOrEqual(50);
  expect(site.telemetry.counted('SaturatedTimestamp')).toBeGreaterThan(0);
  site.put(PLANS, 'later');
  expect(await site.poll(2)).toEqual(['floorplan.created later']);
});

it('The service always says that there is more, and repeats the last entities: reported, without a loop', async () => {
  const site = siteWith({ filter: '>=', headers: { 'x-has-more': 'true' } });
  await site.poll();
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll(60)).toEqual(['floorplan.updated f']);
  expect(site.reports.join()).toMatch(/ProtocolError: projects\/p\/floorplans/);
  expect(site.requests().length).toBeLessThan(30);
});
