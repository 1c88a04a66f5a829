import { describe, expect, it } from 'vitest';
import type { Command } from '../../functions/core/model/command.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { Page, ServiceApi } from '../../functions/core/ports/service-api.ts';
import { timeAt } from '../support/list-service.ts';
import { change } from '../support/place-commands.ts';
import {
  checklistsOf,
  FEED,
  floorplansOf,
  PROJECTS,
  serviceFailure,
  Site,
  type SiteOptions,
} from '../support/site.ts';

const DAY_MS = 86_400_000;
const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
const FLOORPLANS = floorplansOf('p');

/** A site whose service has our clock, with a caught-up notifier. */
async function knownSite(options: SiteOptions = {}): Promise<Site> {
  const site: Site = new Site({ clock: () => site.clock.now(), ...options });
  site.project('p', 1);
  site.project('q', 2);
  site.floorplans('p', 2, 8);
  await site.poll();
  site.clock.advance(60_000);
  await site.catchUp();
  return site;
}

/** The time of the service, as seconds after its start. */
const secondsNow = (site: Site): number => (site.clock.now() - Date.parse(timeAt(0))) / 1000;

async function order(site: Site, command: Command): Promise<void> {
  await site.store.saveCommands(PARTITIONS.map((partition) => ({ partition, command })));
}

let orderCount = 0;

/** Reconciles all lists. @returns its events. */
async function reconcile(site: Site, ports: Partial<Ports> = {}) {
  orderCount += 1;
  await order(site, { id: String(orderCount).padStart(3, '0'), name: 'reconcile', scope: {} });
  for (let n = 0; n < 20 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
    await site.poll({}, ports).catch(() => undefined);
    site.clock.advance(60_000);
  }
  return site.takeEvents();
}

/** The service loses a project, and refuses its lists. */
function loseProject(site: Site): void {
  site.api.destroy(PROJECTS, 'p');
  for (const list of [FLOORPLANS, checklistsOf('p')]) site.api.refuse(list);
}

function returnProject(site: Site): void {
  site.project('p', 1);
  site.floorplans('p', 2, 8);
}

describe('an entity that went without a trace, and is back as it was after the retention', () => {
  it('is restored with a sequence after that of its delete', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const [deleted] = await reconcile(site);
    expect(deleted).toMatchObject({ type: 'floorplan.deleted', partitionkey: 'f3' });
    site.clock.advance(401 * DAY_MS);
    expect(site.store.expire(site.clock.now())).toEqual([]);
    site.floorplan('p', 'f3', 3);
    const [restored] = await reconcile(site);
    expect(restored).toMatchObject({ type: 'floorplan.restored', partitionkey: 'f3' });
    expect((restored?.sequence ?? '') > (deleted?.sequence ?? '')).toBe(true);
    expect(await reconcile(site)).toEqual([]);
  });

  it('is the same for a project whose list is rewound', async () => {
    const site = await knownSite();
    loseProject(site);
    const deleted = (await reconcile(site)).find(({ subject }) => subject === '/projects/p');
    expect(deleted?.type).toBe('project.deleted');
    site.clock.advance(401 * DAY_MS);
    site.store.expire(site.clock.now());
    await site.poll();
    returnProject(site);
    await change(site, { command: 'rewind', scope: {}, to: timeAt(-DAY_MS) });
    await site.poll();
    const restored = site.takeEvents().find(({ subject }) => subject === '/projects/p');
    expect(restored?.type).toBe('project.restored');
    expect((restored?.sequence ?? '') > (deleted?.sequence ?? '')).toBe(true);
  });
});

it('An entity at the cursor of a list that shows it on each poll is restored when it is back', async () => {
  const site = await knownSite({ filter: '>=' });
  expect(await site.feed(FEED)).toHaveProperty('boundary');
  const answer = await site.api.fetchEntity({ path: `${FLOORPLANS}/f7` });
  // The list is not polled between its going and its return.
  for (const waitMs of [480_000, 480_000, 30_000]) {
    site.api.answerNext(FLOORPLANS, () => Promise.reject(serviceFailure));
    await site.poll();
    site.clock.advance(waitMs);
  }
  site.api.destroy(FLOORPLANS, 'f7');
  expect((await reconcile(site)).map(({ type }) => type)).toEqual(['floorplan.deleted']);
  if (answer.verdict === 'found') site.api.put(FLOORPLANS, answer.entity);
  site.clock.advance(600_000);
  expect(await site.events()).toEqual(['floorplan.restored f7']);
});

describe('an entity that is back within the lookback of its delete', () => {
  const LOOKBACK_MS = 60_000;
  const paging = { perPage: 100, lookbackMs: LOOKBACK_MS };

  /** It goes, is told as deleted, and is back as it was. */
  async function goAndReturn(id: string, options: SiteOptions): Promise<Site> {
    const site = await knownSite({ ...options, lookbackMs: LOOKBACK_MS });
    site.clock.advance(2 * LOOKBACK_MS);
    await site.catchUp();
    await order(site, { id: '001', name: 'reconcile', scope: {} });
    const { entity } = {
      entity: undefined,
      ...(await site.api.fetchEntity({ path: `${FLOORPLANS}/${id}` })),
    };
    site.api.destroy(FLOORPLANS, id);
    await site.poll({ paging });
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.deleted', partitionkey: id }]);
    if (entity) site.api.put(FLOORPLANS, entity);
    return site;
  }

  async function told(site: Site, perPage: number): Promise<string[]> {
    const events: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      events.push(...(await site.events({ paging: { ...paging, perPage } })));
      site.clock.advance(60_000);
    }
    return events;
  }

  it('is restored after that, although another change is on its page', async () => {
    const site = await goAndReturn('f7', { filter: '>=' });
    site.clock.advance(LOOKBACK_MS - 5_000);
    site.floorplan('p', 'g', secondsNow(site) - 1);
    expect(await told(site, 100)).toEqual(['floorplan.created g', 'floorplan.restored f7']);
  });

  it.each([2, 100])(
    'is restored after that in a list that is rewound, with %d entities a page',
    async (perPage) => {
      const site = await goAndReturn('f3', { filter: '>' });
      site.clock.advance(LOOKBACK_MS / 2);
      await change(site, { command: 'rewind', scope: { list: FEED }, to: timeAt(0) });
      site.floorplan('p', 'g', secondsNow(site) - 1);
      expect(await told(site, perPage)).toEqual(['floorplan.created g', 'floorplan.restored f3']);
    },
  );
});

it('an entity that is shown too early holds the cursor of its list, but none of the changes behind it', async () => {
  const site = await knownSite({ lookbackMs: 3_600_000 });
  site.clock.advance(2 * 3_600_000);
  await site.catchUp();
  site.api.destroy(FLOORPLANS, 'f7');
  await reconcile(site);
  // It returns as it was before the reconciliation found it gone.
  site.floorplan('p', 'f7', secondsNow(site) - 1_800);
  for (let n = 0; n < 30; n += 1) site.floorplan('p', `g${n}`, secondsNow(site) - 30 + n);
  site.project('r', 3);
  const paging = { perPage: 2, lookbackMs: 3_600_000 };
  await site.poll({ paging, concurrency: 1 });
  const told = site.takeEvents().map(({ type }) => type);
  expect(told.filter((type) => type === 'floorplan.created')).toHaveLength(30);
});

it('an entity that is gone is told with the time of its reconciliation, although the clock of an earlier host was hours behind', async () => {
  const HOURS_MS = 5 * 3_600_000;
  let behindMs = 0;
  const now = (): number => site.clock.now() + behindMs;
  const site: Site = new Site({ lookbackMs: 60_000, clock: now });
  site.project('p', 1);
  site.floorplans('p', 2, 8);
  for (let n = 0; n < 3; n += 1) {
    await site.poll();
    site.clock.advance(60_000);
  }
  behindMs = HOURS_MS;
  site.clock.set(-HOURS_MS);
  await site.poll();
  behindMs = 0;
  site.clock.set(HOURS_MS);
  site.clock.advance(60_000);
  site.takeEvents();
  site.api.destroy(FLOORPLANS, 'f7');
  const undated: ServiceApi = {
    async fetchPage(request, signal) {
      const { readAfter: _, ...page } = await site.api.fetchPage(request, signal);
      return page;
    },
    async fetchEntity(request, signal) {
      const answer = await site.api.fetchEntity(request, signal);
      return answer.verdict === 'found' ? { verdict: 'found', entity: answer.entity } : answer;
    },
  };
  const orderedAt = now();
  const [deleted] = await reconcile(site, { api: undated });
  expect(deleted).toMatchObject({ type: 'floorplan.deleted', partitionkey: 'f7' });
  expect(Date.parse(deleted?.time ?? '') - orderedAt).toBeLessThan(3_600_000);
});

describe('an entity that goes while its list is reconciled', () => {
  it.each([
    { what: 'runs of a minute', pageMs: 8_000, lagMs: 50_000, afterMs: 45_000, options: {} },
    {
      ...{ what: 'runs of 15 minutes', pageMs: 50_000, lagMs: 10_000, afterMs: 5_000 },
      options: { everyMs: 900_000, remainingMs: () => 840_000, leaseMs: 600_000 },
    },
  ])('is not restored by a copy that lags: $what', async ({ pageMs, lagMs, afterMs, options }) => {
    const site = await knownSite({ lookbackMs: 60_000, filter: '>=' });
    for (let n = 0; n < 3; n += 1) {
      site.clock.advance(60_000);
      await site.catchUp();
    }
    const known = await site.api.fetchEntity({ path: `${FLOORPLANS}/f7` });
    if (known.verdict !== 'found') throw new Error('f7 is there');
    const slow = (page: Page): Page => {
      site.clock.advance(pageMs);
      return page;
    };
    let goneAt = 0;
    const goes = (page: Page): Page => {
      site.api.destroy(FLOORPLANS, 'f7');
      goneAt = site.clock.now() + pageMs;
      return slow(page);
    };
    // The poll, and the first pages of the reconciliation.
    site.api.answerNext(FLOORPLANS, (page) => page, slow, goes);
    await order(site, { id: '001', name: 'reconcile', scope: { list: FEED } });
    await site.poll(options);
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.deleted', partitionkey: 'f7' }]);
    site.clock.advance(afterMs);
    expect(site.clock.now() - lagMs).toBeLessThan(goneAt);
    site.api.answerNext(FLOORPLANS, (page) => ({ ...page, entities: [known.entity] }));
    expect(await site.events()).toEqual([]);
  });
});
