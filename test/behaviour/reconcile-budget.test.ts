import { expect, it } from 'vitest';
import { PublishFailedError, RateLimitedError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { place } from '../support/place-commands.ts';
import { SiteBehindHttp } from '../support/site-behind-http.ts';
import { deletedAt, FEED, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
const RECONCILE = { name: 'reconcile', scope: { list: FEED } } as const;
const paging = { perPage: 100, lookbackMs: 0 };

/** The service with a budget for one run. What exceeds it is not sent. */
function budgetOf(site: Site, perMinute: number): ServiceApi {
  let left = perMinute;
  const spend = (): void => {
    if (left <= 0) throw new RateLimitedError('no request is left', { hint: 'Wait.' });
    left -= 1;
  };
  return {
    async fetchPage(request, signal) {
      spend();
      return site.api.fetchPage(request, signal);
    },
    async fetchEntity(request, signal) {
      spend();
      return site.api.fetchEntity(request, signal);
    },
    allowance: () => ({ requests: left, perMinute }),
  };
}

it.each([
  { perMinute: 10, concurrency: 8, count: 300, projects: 20 },
  { perMinute: 13, concurrency: 8, count: 1000, projects: 20 },
  { perMinute: 150, concurrency: 16, count: 100, projects: 90 },
])(
  'a reconciliation goes on where polling could take all of $perMinute requests a minute, $concurrency at a time, with $count entities',
  async ({ perMinute, concurrency, count, projects }) => {
    const site: Site = new Site({ clock: () => Date.parse(timeAt(100_000)) });
    site.project('p', 1);
    site.floorplans('p', 10, 10 + count);
    for (let n = 0; n < projects; n += 1) site.project(`q${n}`, 2);
    for (let n = 0; n < 3; n += 1) await site.poll({ paging });
    site.takeEvents();
    for (let n = 10; n < 50; n += 1) site.api.destroy(floorplansOf('p'), `f${n}`);
    await place(site, RECONCILE);
    const options = { paging, concurrency };
    for (let n = 0; n < 200 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
      await site.poll(options, { api: budgetOf(site, perMinute) });
      site.clock.advance(60_000);
    }
    expect(site.takeEvents()).toHaveLength(40);
  },
);

it('a reconciliation ends with a dozen requests a minute, though a list has a tie larger than a page and lacks something', async () => {
  const site: Site = new Site({ filter: '>', clock: () => site.clock.now() });
  site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
  site.project('p', 1);
  for (let n = 0; n < 3; n += 1) site.floorplan('p', `tied${n}`, 100);
  site.floorplan('p', 'gone', 100);
  site.floorplan('p', 'last', 200);
  for (let n = 0; n < 5; n += 1) site.project(`q${n}`, 1);
  for (let n = 0; n < 3; n += 1) await site.poll({ paging });
  site.takeEvents();
  site.api.destroy(floorplansOf('p'), 'gone');
  await place(site, { ...RECONCILE, force: true });
  for (let n = 0; n < 30; n += 1) {
    await site.poll({ paging: { perPage: 2, lookbackMs: 0 } }, { api: budgetOf(site, 12) });
    site.clock.advance(60_000);
  }
  expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
  expect(site.takeEvents().map(({ type }) => type)).toEqual(['floorplan.deleted']);
});

it('a limit of entities by their ids pauses nothing else for long, and ends the reconciliation without a verdict', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  site.project('p', 1);
  site.floorplans('p', 10, 20);
  for (let n = 0; n < 3; n += 1) await site.poll({ paging });
  site.api.destroy(floorplansOf('p'), 'f10');
  site.answerInstead = (path) =>
    path.includes('floorplans/')
      ? new Response('', { status: 429, headers: { 'Retry-After': '900' } })
      : undefined;
  await place(site, RECONCILE);
  await site.runFor(60, [{ paging }]);
  expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
  site.takeRequests();
  await site.runFor(10, [{ paging }]);
  const polls = site.takeRequests().filter(({ path }) => path === floorplansOf('p'));
  expect(polls.length).toBeGreaterThan(5);
});

it.each([16, 300])(
  'what is missing is counted once, though a run with %i requests began with the list, and others with 16 go on in parts',
  async (firstBudget) => {
    const site: Site = new Site({ clock: () => site.clock.now() });
    site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
    site.project('p', 1);
    site.floorplans('p', 10, 1010);
    for (let n = 0; n < 20; n += 1) site.project(`q${n}`, 2);
    for (let n = 0; n < 3; n += 1) await site.poll({ paging });
    for (let n = 710; n < 1010; n += 1) site.api.destroy(floorplansOf('p'), `f${n}`);
    site.floorplan('p', 'last', 1010);
    await site.catchUp();
    site.takeEvents();
    await place(site, RECONCILE);
    let budget = firstBudget;
    for (let n = 0; n < 400 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
      await site.poll({ paging }, { api: budgetOf(site, budget) });
      site.clock.advance(60_000);
      budget = 16;
    }
    expect(site.takeEvents()).toHaveLength(300);
  },
);

it('a replay, which requests nothing, leaves polling all requests', async () => {
  const site = new Site();
  for (let n = 0; n < 10; n += 1) site.project(`p${n}`, 1 + n);
  for (let n = 0; n < 3; n += 1) await site.poll();
  site.project('p0', 10);
  await site.poll();
  await place(site, { name: 'replay', scope: {}, since: timeAt(0), until: timeAt(10) });
  const topic = replaceCall(site.topic, 'publish', () =>
    Promise.reject(new PublishFailedError('refused', { acceptedCount: 0, hint: 'Wait.' })),
  );
  for (let n = 0; n < 5; n += 1) {
    site.clock.advance(60_000);
    site.api.takePaths();
    await site.poll({}, { api: budgetOf(site, 5), topic });
    expect(site.api.takePaths()).toHaveLength(5);
  }
  expect(await site.store.loadCommands(PARTITIONS)).not.toEqual([]);
});

it('a part of a list that shows deleted entities alone is vouched for by the parts before it', async () => {
  const site: Site = new Site({ clock: () => site.clock.now() });
  site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
  for (let n = 0; n < 400; n += 1) site.project(`p${n}`, 2 + n, n < 220 ? {} : deletedAt(2 + n));
  site.project('gone', 350);
  const small = { paging: { perPage: 50, lookbackMs: 60_000 } };
  for (let n = 0; n < 6; n += 1) await site.poll(small);
  site.takeEvents();
  site.api.destroy(PROJECTS, 'gone');
  await place(site, { name: 'reconcile', scope: { list: 'projects' } });
  for (let n = 0; n < 100 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
    await site.poll(small, { api: budgetOf(site, 16) });
    site.clock.advance(60_000);
  }
  const { reports } = await site.store.loadShard(PARTITIONS);
  expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  expect(site.takeEvents()).toMatchObject([{ type: 'project.deleted', partitionkey: 'gone' }]);
});
