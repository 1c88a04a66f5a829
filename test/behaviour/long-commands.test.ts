import { expect, it } from 'vitest';
import { PageTooSlowError, PublishFailedError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, partitionsOf } from '../../functions/core/model/feed.ts';
import type { PageRequest, ServiceApi } from '../../functions/core/ports/service-api.ts';
import { timeAt } from '../support/list-service.ts';
import { place } from '../support/place-commands.ts';
import { runInTime } from '../support/run-in-time.ts';
import { FEED, floorplansOf, liveSite, PROJECTS, serviceFailure, Site } from '../support/site.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
/** Longer than an attempt may take. */
const NO_ANSWER_MS = 10_000;
const REPLAY = { name: 'replay', scope: { list: FEED }, since: timeAt(20), until: timeAt(20) };

async function toldSite(): Promise<Site> {
  const site = await liveSite();
  site.project('p', 10);
  site.floorplan('p', 'f', 20, { name: 'F2' });
  await site.catchUp();
  return site;
}

/** Names of the commands that are left, each once. */
async function namesLeft({ store }: Site): Promise<string[]> {
  const placed = await store.loadCommands(PARTITIONS);
  return [...new Set(placed.map(({ command }) => command.name))];
}

it('a long command that waits for the service holds up none behind it', async () => {
  const site = await toldSite();
  await place(site, { name: 'reconcile', scope: {} }, { ...REPLAY, name: 'replay' });
  const down = () => Promise.reject(serviceFailure);
  const told: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    await site.poll({}, { api: { fetchPage: down, fetchEntity: down } });
    told.push(...site.takeEvents().map(({ partitionkey }) => partitionkey));
    site.clock.advance(60_000);
  }
  expect([told, await namesLeft(site)]).toEqual([['f'], ['reconcile']]);
});

it('a long command that failed on a host whose clock was ahead for long is not kept waiting for that', async () => {
  const site = await toldSite();
  const day = 24 * 3_600_000;
  const progress = { feedId: '', counts: {}, failures: 3, retryAt: site.clock.now() + day };
  const command = { ...REPLAY, name: 'replay', id: '1' } as const;
  await site.store.saveCommands(PARTITIONS.map((partition) => ({ partition, command, progress })));
  expect(await site.events()).toEqual(['floorplan.updated f']);
});

it('a long command that fails is reported, tried once a run, and holds up none behind it', async () => {
  const site = await toldSite();
  const told = { ...REPLAY, name: 'replay' } as const;
  const scope = { resource: 'projects' };
  await place(site, { ...told, scope, since: timeAt(10) }, told);
  const publish = site.topic.publish.bind(site.topic);
  let failureCount = 0;
  site.topic.publish = (events) => {
    if (events.every(({ type }) => type !== 'project.updated')) return publish(events);
    failureCount += 1;
    return Promise.reject(new PublishFailedError('refused', { acceptedCount: 0, hint: 'Wait.' }));
  };
  expect(await site.events()).toEqual(['floorplan.updated f']);
  expect(failureCount).toBe(1);
  const failed = site.telemetry.logs.filter(({ message }) => message.includes('interrupted'));
  expect(failed).toMatchObject([
    { level: 'error', fields: { command: expect.any(String) as string } },
  ]);
  expect(await site.store.loadCommands(PARTITIONS)).toHaveLength(1);
});

/** A service that takes its time to answer. */
function slowApi(site: Site, answerMs: (request: PageRequest) => number): ServiceApi {
  return {
    async fetchPage(request, signal) {
      await site.clock.sleep(answerMs(request), signal);
      signal?.throwIfAborted();
      if (answerMs(request) >= NO_ANSWER_MS) throw new PageTooSlowError('none', { hint: 'Wait.' });
      return site.api.fetchPage(request, signal);
    },
    fetchEntity: (request, signal) => site.api.fetchEntity(request, signal),
    allowance: () => ({ requests: 5000, perMinute: 5000 }),
  };
}

/** A site of which an event can be told again, and all lists compared. */
async function siteInTime(): Promise<Site> {
  const site: Site = new Site({ clock: () => site.clock.now() });
  site.project('p', 1);
  site.floorplan('p', 'f', 2);
  await site.poll();
  site.project('p', 10);
  site.floorplan('p', 'f', 20, { name: 'F2' });
  await site.catchUp();
  return site;
}

/** Runs until all commands are carried out, at most so many times. */
async function runUntilDone(
  site: Site,
  api: ServiceApi,
  atMost: number,
  options?: Parameters<typeof runInTime>[2],
): Promise<void> {
  for (let n = 0; n < atMost && (await namesLeft(site)).length > 0; n += 1) {
    await runInTime(site, api, options);
  }
}

const RECONCILE = { name: 'reconcile', scope: { list: FEED } } as const;
const COMMANDS = [{ ...REPLAY, name: 'replay' }, RECONCILE] as const;

it.each([2000, 7000, 9000])(
  'long commands go on although polling could take all the time of each run, with answers after %i ms',
  async (answerMs) => {
    const site = await siteInTime();
    // A run has time for at most 88 answers.
    for (let n = 0; n < 60; n += 1) site.project(`q${n}`, 30);
    await site.catchUp();
    await site.catchUp();
    await place(site, ...COMMANDS);
    const api = slowApi(site, () => answerMs);
    await runUntilDone(site, api, 20);
    expect(await namesLeft(site)).toEqual([]);
  },
);

it.each([500, 2400, 5000])(
  'long commands go on although a list has a backlog of many runs, with answers after %i ms',
  async (answerMs) => {
    const site = await siteInTime();
    site.project('big', 30);
    await site.catchUp();
    for (let n = 0; n < 3000; n += 1) site.floorplan('big', `b${n}`, 1000 + n);
    await place(site, ...COMMANDS);
    const api = slowApi(site, () => answerMs);
    await runUntilDone(site, api, 20);
    expect(await namesLeft(site)).toEqual([]);
  },
);

it('a replay goes on although most lists give no answer', async () => {
  const site = await siteInTime();
  for (let n = 0; n < 100; n += 1) site.project(`q${n}`, 30);
  await site.catchUp();
  const isMute = ({ path }: PageRequest): boolean => /q.*floorplans/.test(path);
  const api = slowApi(site, (request) => (isMute(request) ? NO_ANSWER_MS : 150));
  for (let n = 0; n < 10; n += 1) await runInTime(site, api);
  await place(site, COMMANDS[0]);
  await runUntilDone(site, api, 10);
  expect(await namesLeft(site)).toEqual([]);
});

it('a replay goes on in an outage in which a probe could take all the time of each run', async () => {
  const site = await siteInTime();
  const shards = [0, 1].map((shard) => ({
    ...{ shard, shardCount: 2, partitions: partitionsOf(shard, 2) },
  }));
  for (let n = 0; n < 6; n += 1) await runInTime(site, site.api, shards[n % 2]);
  const api: ServiceApi = {
    ...slowApi(site, () => 0),
    async fetchPage({ path }, signal) {
      await site.clock.sleep(path === PROJECTS ? 600_000 : 0, signal);
      throw serviceFailure;
    },
  };
  // It has not the list of projects, and asks for that to see whether the service works.
  const [, second] = shards;
  for (let n = 0; n < 3; n += 1) await runInTime(site, api, second);
  expect(site.takeEvents()).toEqual([]);
  await place(site, COMMANDS[0]);
  for (let n = 0; n < 10; n += 1) await runInTime(site, api, second);
  expect(site.takeEvents()).toMatchObject([{ partitionkey: 'f', cause: 'replay' }]);
});

it('an outage without answers is noticed while a long command waits', async () => {
  const site = await siteInTime();
  for (let n = 0; n < 60; n += 1) site.project(`q${n}`, 30);
  await site.catchUp();
  await place(site, RECONCILE);
  for (let n = 0; n < 8; n += 1)
    await runInTime(
      site,
      slowApi(site, () => NO_ANSWER_MS),
    );
  const noticed = site.telemetry.logs.filter(({ message }) =>
    message.startsWith('The service fails'),
  );
  expect(noticed).toHaveLength(1);
});

it('between the sweeps of a run, long commands take no time from polling', async () => {
  const site = await siteInTime();
  for (let n = 0; n < 30; n += 1) {
    site.project(`q${n}`, 30);
    site.floorplan(`q${n}`, `f${n}`, 30);
  }
  await site.catchUp();
  await site.catchUp();
  const polledAt: number[] = [];
  // A reconciliation reads each list from its start, slowly.
  const isPoll = ({ path, lastSyncedAt }: PageRequest): boolean =>
    lastSyncedAt !== undefined || !path.endsWith('floorplans');
  const api = slowApi(site, (request) => {
    if (isPoll(request) && request.path === floorplansOf('p')) polledAt.push(site.clock.now());
    return isPoll(request) ? 20 : 6000;
  });
  await place(site, { name: 'reconcile', scope: { resource: 'floorplans' } });
  await runInTime(site, api, { timeoutMs: 240_000, everyMs: 300_000, pollEveryMs: 10_000 });
  const gaps = polledAt.slice(1).map((at, n) => at - (polledAt[n] ?? 0));
  expect(polledAt.length).toBeGreaterThan(15);
  expect(Math.max(...gaps)).toBeLessThan(25_000);
});

it('sweeps that take longer than their turn leave a reconciliation its share', async () => {
  const site: Site = new Site({ clock: () => site.clock.now() });
  for (let n = 0; n < 50; n += 1) site.project(`q${n}`, 30);
  const options = { paging: { perPage: 300, lookbackMs: 0 }, concurrency: 8 };
  for (let n = 0; n < 4; n += 1) await site.poll(options);
  await place(site, { name: 'reconcile', scope: {} });
  const api = slowApi(site, () => 1600);
  // 101 lists, five in a second.
  await runUntilDone(site, api, 15, { ...options, pollEveryMs: 10_000 });
  expect(await namesLeft(site)).toEqual([]);
});

it('a replay goes on although a reconciliation of many lists was ordered before', async () => {
  const site = await siteInTime();
  for (let n = 0; n < 120; n += 1) site.project(`q${n}`, 30);
  const options = { paging: { perPage: 400, lookbackMs: 0 }, concurrency: 8 };
  for (let n = 0; n < 4; n += 1) await site.poll(options);
  await place(site, { name: 'reconcile', scope: {} });
  await place(site, COMMANDS[0]);
  const api = slowApi(site, () => 2000);
  for (let n = 0; n < 10; n += 1) await runInTime(site, api, options);
  expect(await namesLeft(site)).toEqual(['reconcile']);
});

it('a replay goes on although a page of another list cannot be published in any run', async () => {
  const site = await toldSite();
  await place(site, { ...REPLAY, name: 'replay' });
  const publish = site.topic.publish.bind(site.topic);
  site.topic.publish = (events) => {
    if (!events.some(({ type }) => type.startsWith('project'))) return publish(events);
    return Promise.reject(new PublishFailedError('refused', { acceptedCount: 0, hint: 'Wait.' }));
  };
  site.project('p', 30);
  await expect(site.poll()).rejects.toThrow('could not be committed');
  expect(await namesLeft(site)).toEqual([]);
  expect(site.takeEvents()).toMatchObject([{ partitionkey: 'f', cause: 'replay' }]);
});
