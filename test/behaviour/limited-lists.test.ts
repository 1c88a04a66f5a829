import { describe, expect, it } from 'vitest';
import { partitionsOf } from '../../functions/core/model/feed.ts';
import { SiteBehindHttp, type AnsweredRequest } from '../support/site-behind-http.ts';
import { floorplansOf, PROJECTS } from '../support/site.ts';

const HOUR = 3_600_000;

/** So few that one request is sent at a time. */
const FEW_REQUESTS = 60;

/** All lists of some paths are limited for ten minutes, whenever they are requested. */
const limiting = (isLimited: (path: string) => boolean) => (path: string) =>
  isLimited(path)
    ? new Response('slow down', { status: 429, headers: { 'Retry-After': '600' } })
    : undefined;

const isRead = ({ status }: AnsweredRequest) => status === 200;

describe('after an outage, while the list of projects alone is limited', () => {
  it.each([500, FEW_REQUESTS])('others are read, with %i requests a minute', async (perMinute) => {
    const site = new SiteBehindHttp({ requestsPerMinute: perMinute });
    for (const id of ['p', 'q', 'r']) site.project(id, 1);
    await site.runFor(3);
    site.answerInstead = () => new Response('down', { status: 503 });
    await site.runFor(5);
    site.answerInstead = limiting((path) => path === PROJECTS);
    site.takeRequests();
    await site.runFor(60);
    // Six lists, a while after the outage: at first their turn ends with the answer to the projects.
    expect(site.takeRequests().filter(isRead).length).toBeGreaterThan(200);
  });

  it('one page of a longer list ends the outage', async () => {
    const site = new SiteBehindHttp({ requestsPerMinute: FEW_REQUESTS });
    site.project('p', 1);
    await site.runFor(3);
    site.answerInstead = () => new Response('down', { status: 503 });
    await site.runFor(5);
    site.floorplans('p', 10, 400);
    site.checklist('p', 'c', 10, []);
    site.answerInstead = limiting((path) => path === PROJECTS);
    await site.runFor(12);
    const messages = site.telemetry.logs.map(({ message }) => message);
    expect(messages).toContain('The service works again');
  });

  it('others are read by a shard that has not the projects', async () => {
    const site = new SiteBehindHttp({ requestsPerMinute: FEW_REQUESTS });
    const shards = [0, 1].map((shard) => ({
      ...{ shard, shardCount: 2, partitions: partitionsOf(shard, 2) },
    }));
    for (let n = 0; n < 12; n += 1) site.project(`p${n}`, 1);
    await site.runFor(6, shards);
    site.answerInstead = () => new Response('down', { status: 503 });
    await site.runFor(6, shards);
    site.answerInstead = limiting((path) => path === PROJECTS);
    site.takeRequests();
    await site.runFor(60, shards.slice(1));
    expect(site.takeRequests().filter(isRead).length).toBeGreaterThan(200);
  });
});

it('others are read after an outage that no run could tell, if no list but the limited one is healthy', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: FEW_REQUESTS });
  site.project('p', 1);
  await site.runFor(3);
  const limited = floorplansOf('p');
  site.answerInstead = (path) =>
    path === limited ? undefined : new Response('down', { status: 503 });
  await site.runFor(3);
  const now = site.clock.now();
  const lease = { shard: '0', owner: 'one before', expiresAt: now + 1 };
  await site.store.acquireLease(lease, now);
  const note = { failuresInARow: 9 };
  await site.store.releaseLease({ ...lease, note: JSON.stringify(note) });
  site.answerInstead = limiting((path) => path === limited);
  site.takeRequests();
  await site.runFor(60);
  expect(site.takeRequests().filter(isRead).length).toBeGreaterThan(50);
});

it.each([
  ['quiet', 1, 0],
  ['quiet', 30, 0],
  ['long', 3, 1_000],
])(
  'a %s list that is limited alone to %i requests an hour does not pause others for ever',
  async (_, allowed, changes) => {
    const site: SiteBehindHttp = new SiteBehindHttp({ requestsPerMinute: 500 });
    for (const id of ['p', 'q']) site.project(id, 1);
    await site.runFor(3);
    site.floorplans('p', 10, 10 + changes);
    let hour = { endsAt: 0, used: 0 };
    site.answerInstead = (path) => {
      if (path !== floorplansOf('p')) return undefined;
      const now = site.clock.now();
      if (now >= hour.endsAt) hour = { endsAt: now + HOUR, used: 0 };
      hour.used += 1;
      if (hour.used <= allowed) return undefined;
      const seconds = Math.ceil((hour.endsAt - now) / 1_000);
      return new Response('slow down', { status: 429, headers: { 'Retry-After': `${seconds}` } });
    };
    await site.runFor(100);
    site.takeRequests();
    await site.runFor(60);
    const projects = site.takeRequests().filter(({ path }) => path === PROJECTS);
    // Some are samples.
    expect(projects.length).toBeGreaterThanOrEqual(60);
  },
);

it('others wait only as long as one of them is told, while a list that is limited alone is told to wait for an hour', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: 600 });
  for (let n = 0; n < 20; n += 1) site.project(`p${n}`, 1);
  await site.runFor(3);
  const limited = floorplansOf('p3');
  const refusal = (seconds: number) =>
    new Response('slow down', { status: 429, headers: { 'Retry-After': `${seconds}` } });
  const requested = new Set<string>();
  site.answerInstead = (path) => {
    // A run that is not limited requests each list once: the first sample of another one is a second request.
    const isSample = requested.has(path);
    requested.add(path);
    if (path === limited) return refusal(3_600);
    if (!isSample || !requested.has(limited)) return undefined;
    site.answerInstead = (each) => (each === limited ? refusal(3_600) : undefined);
    return refusal(1);
  };
  await site.runFor(3);
  site.takeRequests();
  await site.runFor(10);
  expect(site.takeRequests().filter(isRead).length).toBeGreaterThan(300);
});

it('many lists that are limited alone, each run in a new process, pause no others', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  for (let n = 0; n < 25; n += 1) site.project(`p${n}`, 1);
  await site.runFor(3);
  site.answerInstead = limiting((path) => path.endsWith('floorplans'));
  await site.runFor(20);
  site.takeRequests();
  await site.runFor(20);
  const projects = site.takeRequests().filter(({ path }) => path === PROJECTS);
  expect(projects.length).toBeGreaterThan(15);
});

it('dozens of lists that are limited alone, all of some projects, pause no others, also if more become so', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  const projects = Array.from({ length: 24 }, (_, n) => `p${n}`);
  for (const id of projects) site.project(id, 1);
  await site.runFor(3);
  const limited = new Set(projects.slice(0, 12));
  site.answerInstead = limiting((path) => limited.has(path.split('/')[2] ?? ''));
  await site.runFor(20);
  limited.add('p12');
  await site.runFor(15);
  site.takeRequests();
  await site.runFor(10);
  const others = site.takeRequests().filter(isRead);
  expect(others.length).toBeGreaterThan(9 * (1 + 2 * (projects.length - limited.size)));
});

it('a list with a limit of its own keeps none waiting that is due later than it', async () => {
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  site.project('p', 1);
  await site.runFor(3);
  // Its lists are due again in the run after the next one.
  const down = () => new Response('down', { status: 503, headers: { 'Retry-After': '90' } });
  site.answerInstead = (path) => (path === PROJECTS ? undefined : down());
  await site.runFor(1);
  site.answerInstead = limiting((path) => path === PROJECTS);
  await site.runFor(1);
  site.takeRequests();
  await site.runFor(3);
  expect(site.takeRequests().filter(isRead).length).toBeGreaterThan(3);
});

it.each([
  // A run begins just before its end.
  [0, 5],
  [0.5, 7],
])(
  'a list with a limit of its own waits for 8 minutes at most, or a random part of that: %d',
  async (random, longest) => {
    const site = new SiteBehindHttp({ requestsPerMinute: 500 });
    site.project('p', 1);
    await site.runFor(3);
    site.answerInstead = (path) =>
      path === floorplansOf('p') ? new Response('slow down', { status: 429 }) : undefined;
    await site.runFor(60, [{ random: () => random }]);
    const minutes: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      site.takeRequests();
      await site.runFor(1, [{ random: () => random }]);
      if (site.takeRequests().some(({ path }) => path === floorplansOf('p'))) minutes.push(minute);
    }
    const waits = minutes.slice(1).map((minute, n) => minute - (minutes[n] ?? 0));
    expect(new Set(waits)).toEqual(new Set([longest]));
  },
);
