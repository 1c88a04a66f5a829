import { expect, it } from 'vitest';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { timeAt } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { place } from '../support/place-commands.ts';
import { FEED, liveSite, serviceFailure, Site } from '../support/site.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
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

/** One run of at most 45 seconds, in which time passes while the service answers. */
async function runInTime(site: Site, api: ServiceApi): Promise<void> {
  const startedAt = site.clock.now();
  let isOver = false;
  const remainingMs = () => startedAt + 55_000 - site.clock.now();
  const run = site.poll({ remainingMs, leaseMs: 30_000 }, { api }).finally(() => (isOver = true));
  for (;;) {
    for (let n = 0; n < 20 && !isOver; n += 1) await settlePromises();
    if (isOver) break;
    if (!site.clock.advanceToNext()) throw new Error('nobody sleeps');
  }
  await run;
  site.clock.advance(startedAt + 60_000 - site.clock.now());
}

it.each([
  { ...REPLAY, name: 'replay', answerMs: 2000 },
  { name: 'reconcile', scope: { list: FEED }, answerMs: 2000 },
  { name: 'reconcile', scope: { list: FEED }, answerMs: 7000 },
] as const)(
  'a $name goes on although polling could take all the time of each run, with answers after $answerMs ms',
  async ({ answerMs, ...command }) => {
    const site: Site = new Site({ clock: () => site.clock.now() });
    site.project('p', 1);
    site.floorplan('p', 'f', 2);
    await site.poll();
    site.project('p', 10);
    site.floorplan('p', 'f', 20, { name: 'F2' });
    // A run has time for at most 88 answers.
    for (let n = 0; n < 60; n += 1) site.project(`q${n}`, 30);
    await site.catchUp();
    await site.catchUp();
    const api: ServiceApi = {
      async fetchPage(request, signal) {
        await site.clock.sleep(answerMs, signal);
        return site.api.fetchPage(request, signal);
      },
      fetchEntity: (request, signal) => site.api.fetchEntity(request, signal),
      allowance: () => ({ requests: 500, perMinute: 500 }),
    };
    await place(site, command);
    for (let n = 0; n < 10; n += 1) await runInTime(site, api);
    expect(await namesLeft(site)).toEqual([]);
  },
);
