import { expect, it } from 'vitest';
import {
  FatalError,
  FeedConflictError,
  RateLimitedError,
} from '../../functions/core/model/errors.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { isoTime } from '../../functions/core/model/timestamp.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import { change, jobsOf } from '../support/change.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { FLOORPLANS, knownSite } from '../support/reconciled-site.ts';
import {
  deletedAt,
  entityAt,
  FEED,
  PROJECTS,
  serviceFailure,
  Site,
  stopAfter,
} from '../support/site.ts';

const hint = 'Wait.';
const CHECKLISTS = 'projects/p/template_checklists';
const reconcile = (site: Site, scope: object = { list: FEED }) =>
  change(site, { command: 'reconcile', scope });
const jobOf = async (site: Site) => (await jobsOf(site))[FEED];
const errorsOf = ({ telemetry }: Site) => telemetry.logs.filter(({ level }) => level === 'error');

/** A service that fails whoever reads a list from its start. */
const failingAtStart = (site: Site, error: Error) =>
  replaceCall(site.api, 'fetchPage', ({ parameters, proceed }) => {
    const [{ path, lastSyncedAt }] = parameters as [PageRequest];
    return path === FLOORPLANS && lastSyncedAt === undefined ? Promise.reject(error) : proceed();
  });

it.each<[string, () => Promise<Site>]>([
  [
    'that an operator has paused',
    async () => {
      const site = await knownSite();
      await change(site, { command: 'pause', scope: { list: FEED } });
      return site;
    },
  ],
  [
    'of a deleted project',
    async () => {
      const site = await knownSite();
      site.project('p', 10, deletedAt(10));
      await site.poll();
      return site;
    },
  ],
  [
    'in its first pass',
    async () => {
      const site = new Site();
      site.project('p', 1);
      site.floorplans('p', 2, 20);
      await stopAfter(site, FLOORPLANS, 1);
      site.api.refuse(FLOORPLANS);
      return site;
    },
  ],
])('a list %s is not reconciled, and it says why', async (_, make) => {
  const site = await make();
  await reconcile(site);
  await site.poll();
  const finishedAt = new Date(site.clock.now()).toISOString();
  const cause = expect.any(String) as string;
  expect(await jobOf(site)).toMatchObject({ outcome: 'skipped', cause, finishedAt });
});

it('a reconcile waits while all lists are paused, and ends where it is cancelled', async () => {
  const site = await knownSite();
  await change(site, { command: 'pause', scope: {} });
  await reconcile(site);
  await site.poll();
  expect(await jobOf(site)).not.toHaveProperty('outcome');
  await change(site, { command: 'cancel', scope: {} });
  expect(await jobsOf(site)).toEqual({});
});

it('a job of a list that config has removed is skipped', async () => {
  const site = await knownSite();
  const users = { name: 'users', entity: 'user', path: '/users' };
  const catalog = makeCatalog({ additionalResources: [users] });
  site.api.put('/users', entityAt('u', 5));
  await site.poll({ catalog });
  await change(site, { command: 'replay', scope: {}, since: timeAt(0) });
  await site.poll();
  expect((await jobsOf(site))['users']).toMatchObject({ outcome: 'skipped' });
});

it('in an outage one reconcile is tried in a run, whatever is replayed', async () => {
  const site = await knownSite();
  await reconcile(site, {});
  await change(site, { command: 'cancel', scope: { list: CHECKLISTS } });
  await change(site, { command: 'replay', scope: { list: CHECKLISTS }, since: timeAt(0) });
  await site.poll({}, { api: { fetchPage: () => Promise.reject(serviceFailure) } });
  const { [CHECKLISTS]: replayed, ...others } = await jobsOf(site);
  expect(replayed).toMatchObject({ outcome: 'done' });
  const tries = Object.values(others).map((job) => job.tries);
  expect(tries).toEqual([1, undefined]);
});

it('an error without which no list can be read ends the run, before jobs, and is no try', async () => {
  const site = await knownSite();
  await reconcile(site);
  const error = new FatalError('no token', { hint });
  const api = failingAtStart(site, error);
  await expect(site.poll({}, { api })).rejects.toBe(error);
  expect(await jobOf(site)).not.toHaveProperty('tries');
  expect(site.telemetry.counted('TokenRefused')).toBe(0);
  await change(site, { command: 'replay', scope: { list: CHECKLISTS }, since: timeAt(0) });
  const unable = { fetchPage: () => Promise.reject(error) };
  await expect(site.poll({}, { api: unable })).rejects.toBe(error);
  expect((await jobsOf(site))[CHECKLISTS]).not.toHaveProperty('outcome');
});

it('polling ends at two thirds of the time while there are jobs', async () => {
  const site = await knownSite();
  site.floorplans('p', 10, 50);
  await reconcile(site, { list: CHECKLISTS });
  const api = replaceCall(site.api, 'fetchPage', async ({ parameters, proceed }) => {
    const page: unknown = await proceed();
    const [{ path }] = parameters as [PageRequest];
    if (path === FLOORPLANS) site.clock.advance(7000);
    await new Promise(setImmediate);
    return page;
  });
  const endsAt = site.clock.now() + 55_000;
  const remainingMs = () => endsAt - site.clock.now();
  expect(await site.poll({ remainingMs }, { api })).toMatchObject({ stoppedEarly: true });
  expect((await jobsOf(site))[CHECKLISTS]).toMatchObject({ outcome: 'compared' });
});

it('a list for which a run has no time left is not tried', async () => {
  const site = await knownSite();
  await reconcile(site, {});
  const api = replaceCall(site.api, 'fetchPage', async ({ parameters, proceed }) => {
    const page: unknown = await proceed();
    const [{ path, lastSyncedAt }] = parameters as [PageRequest];
    if (path === PROJECTS && lastSyncedAt === undefined) site.clock.advance(50_000);
    await new Promise(setImmediate);
    return page;
  });
  await site.poll({}, { api });
  expect((await jobsOf(site))['projects']).toMatchObject({ outcome: 'compared' });
  expect(await jobOf(site)).not.toHaveProperty('isCutOff');
});

it('a reconcile starts only while the rate limit leaves a request', async () => {
  const site = await knownSite();
  await reconcile(site);
  const fetchPage = () => Promise.reject(new RateLimitedError('429', { hint }));
  await site.poll({}, { api: { fetchPage, allowance: () => ({ requests: 0 }) } });
  expect(await jobOf(site)).not.toHaveProperty('isCutOff');
  expect(errorsOf(site)).toEqual([]);
});

it('a reconcile deletes nothing of the last lookback, by the earlier of both clocks', async () => {
  let now = 0;
  // The service's `Date` is ahead of the times in its lists, which our clock shares.
  const options = { clock: () => now + 600_000, lookbackMs: 60_000 };
  const site = await knownSite(4, options);
  now = site.clock.now();
  site.api.put(FLOORPLANS, { ...entityAt('new', 1), updated_at: isoTime(now - 5_000) });
  expect(await site.events()).toEqual(['floorplan.created new']);
  // The copy that answers next does not know it yet.
  site.api.destroy(FLOORPLANS, 'new');
  await reconcile(site);
  expect(await site.events({ paging: { perPage: 4, lookbackMs: 60_000 } })).toEqual([]);
  expect(await jobOf(site)).toMatchObject({ outcome: 'compared' });
});

it('a failure of our own fails the run, is logged with its list and job, and counts as a try', async () => {
  const site = await knownSite();
  await reconcile(site);
  const error = new Error('throttled');
  const store = replaceCall(site.store, 'liveVersions', () => {
    throw error;
  });
  await expect(site.poll({}, { store })).rejects.toThrow('throttled');
  const fields = { feed: FEED, job: 'reconcile' };
  expect(errorsOf(site)).toMatchObject([{ error, fields }]);
  expect(await jobOf(site)).toMatchObject({ tries: 1 });
});

it('a list that an operator changes during its job is read again, and no failure is counted', async () => {
  const site = await knownSite();
  await reconcile(site);
  const store = replaceCall(site.store, 'liveVersions', () => {
    throw new FeedConflictError('written', { hint });
  });
  await site.poll({}, { store });
  expect(errorsOf(site)).toEqual([]);
  expect(await jobOf(site)).not.toHaveProperty('tries');
});
