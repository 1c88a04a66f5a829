import { describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import { makeClient } from '../functions/adapters/service-api/service-client.ts';
import { replaceCall } from '../support/intercept.ts';
import { CHUNK, ListsInChunks, type Traits } from '../support/lists-in-chunks.ts';
import { entityAt, floorplansOf, Site } from '../support/site.ts';

/** Floorplans of these sizes, one each second. */
const plansOf = (count: number, bytesOf: (n: number) => number) =>
  Array.from({ length: count }, (_, n) =>
    entityAt(`f${n}`, 100 + n, { description: 'x'.repeat(bytesOf(n)) }),
  );

/** A site with several projects that all have new floorplans of this size. */
async function backlog(lists: number, entities: number, bytes: number, traits: Traits) {
  const site = new Site();
  const service = new ListsInChunks(traits);
  for (let i = 0; i < lists; i += 1) site.project(`p${i}`, i + 1);
  await site.poll();
  for (let i = 0; i < lists; i += 1) {
    service.lists.set(
      floorplansOf(`p${i}`),
      plansOf(entities, () => bytes),
    );
  }
  const store = replaceCall(site.store, 'commitFeed', ({ parameters, proceed }) => {
    service.committed(`/${(parameters[0] as Feed).id}`);
    return proceed();
  });
  const client = makeClient('http://service.invalid', { fetch: service.fetch, concurrency: lists });
  const poll = (pageBytes: number, perPage = 1000) =>
    site.poll(
      { paging: { perPage, lookbackMs: 0 }, concurrency: lists, pageBytes },
      { api: client, store, clock: systemClock },
    );
  return { site, service, poll };
}

describe('the page bodies of all lists together', () => {
  it.each<Traits>([
    { filter: '>=', saysLength: true },
    { filter: '>=', saysLength: false },
  ])('stay within the budget and one page, Content-Length: $saysLength', async (traits) => {
    const { service, site, poll } = await backlog(8, 25, 20_000, traits);
    const pageBytes = 500_000;
    const { events } = await poll(pageBytes);
    expect(events.created).toBe(8 * 25);
    expect(site.takeEvents()).toHaveLength(8 * 25);
    expect(service.largestPage).toBeLessThanOrEqual(pageBytes / 4 + CHUNK);
    expect(service.most).toBeLessThanOrEqual(pageBytes + service.largestPage);
    // The size follows from the first pages, not from repeated halving.
    expect(new Set(service.perPage.filter((perPage) => perPage > 25))).toEqual(new Set([1000]));
    // The budget is used, too.
    expect(service.most).toBeGreaterThan(pageBytes / 2);
  });
});

it('page bodies stay within the budget and one page if small ones precede large ones', async () => {
  const { service, site, poll } = await backlog(16, 0, 0, { filter: '>=', saysLength: false });
  for (let i = 0; i < 16; i += 1) {
    const plans = plansOf(50, (n) => (n < 25 ? 10 : 4_500));
    service.lists.set(floorplansOf(`p${i}`), plans);
  }
  await poll(500_000, 25);
  expect(site.takeEvents()).toHaveLength(16 * 50);
  expect(service.most).toBeLessThanOrEqual(500_000 + service.largestPage);
});

describe('everything arrives', () => {
  it.each<Traits>(
    [true, false].flatMap((saysLength) => [
      { filter: '>', saysLength },
      { filter: '>=', saysLength },
    ]),
  )('if a page exceeds the budget: $filter, Content-Length: $saysLength', async (traits) => {
    const { service, poll } = await backlog(12, 5, 5_000, traits);
    const { events } = await poll(1);
    expect(events.created).toBe(12 * 5);
    expect(Math.min(...service.perPage)).toBe(2);
  });

  it.each([true, false])('if each body breaks off once, Content-Length: %s', async (saysLength) => {
    const { poll } = await backlog(12, 40, 4_000, { filter: '>=', saysLength, breaksOff: true });
    const { events } = await poll(200_000);
    expect(events.created).toBe(12 * 40);
  });

  it('if more entities share a timestamp than fit a page, in growing pages', async () => {
    const { service, site, poll } = await backlog(1, 0, 0, { filter: '>=', saysLength: false });
    const plans = Array.from({ length: 160 }, (_, n) =>
      entityAt(`f${n}`, n < 150 ? 100 : 101 + n, { description: 'x'.repeat(20_000) }),
    );
    service.lists.set(floorplansOf('p0'), plans);
    const { events } = await poll(400_000);
    expect(events.created).toBe(160);
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(0);
    expect(Math.max(...service.perPage.slice(1))).toBeLessThan(1000);
  });
});
