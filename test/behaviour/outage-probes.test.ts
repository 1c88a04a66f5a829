import { describe, expect, it } from 'vitest';
import {
  FeedRefusedError,
  PageTooSlowError,
  RateLimitedError,
} from '../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { failingSite, serviceBusy } from '../support/failing-site.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { floorplansOf, PROJECTS, Site } from '../support/site.ts';

const refused = new FeedRefusedError('GET: 404', { status: 404, hint: 'Wait.' });

describe('a probe', () => {
  /** Fails all requests at first, and answers as `answer` says from then on. */
  async function outageWith(answer: (site: Site, path: string) => Promise<void>) {
    const { site } = await failingSite();
    let hasBegun = false;
    const fetchPage: ServiceApi['fetchPage'] = async (request, signal) => {
      const page = await site.api.fetchPage(request, signal);
      if (!hasBegun) throw serviceBusy();
      await answer(site, request.path);
      return page;
    };
    const poll = (options = {}) => site.poll(options, { api: { fetchPage } });
    await poll();
    hasBegun = true;
    site.clock.advance(60_000);
    site.api.takePaths();
    return { site, poll };
  }

  /** Lets the time of a run end. */
  async function endRun(site: Site) {
    await settlePromises();
    site.clock.advance(45_000);
    await settlePromises();
  }

  it('of a list whose failure takes all of the run hides no other list that is read', async () => {
    const { site, poll } = await outageWith(async (ofRun, path) => {
      if (path !== PROJECTS) return;
      await endRun(ofRun);
      throw serviceBusy();
    });
    const options = { concurrency: 1 };
    expect(await poll(options)).not.toHaveProperty('outageSince');
    site.clock.advance(15_000);
    expect(await poll(options)).toMatchObject({ polled: 6, waiting: 1 });
  });

  it('is sent once in a run, however often the run sweeps', async () => {
    const { site, poll } = await outageWith(() => Promise.reject(serviceBusy()));
    const polling = poll({ pollEveryMs: 5_000 });
    for (let second = 0; second < 45; second += 1) {
      await settlePromises();
      site.clock.advance(1_000);
    }
    await polling;
    expect(site.api.takePaths()).toHaveLength(3);
  });

  it.each([
    ['the time of the run ends', () => endRun],
    [
      'the request budget ends',
      () => () => Promise.reject(new RateLimitedError('429', { hint: 'Wait.' })),
    ],
  ])('shows no outage if %s before its answer', async (_, end) => {
    const { site } = await failingSite();
    let requests = 0;
    const fetchPage: ServiceApi['fetchPage'] = async (request, signal) => {
      requests += 1;
      if (requests <= 5) throw serviceBusy();
      await end()(site);
      signal?.throwIfAborted();
      return site.api.fetchPage(request, signal);
    };
    const summary = await site.poll({ concurrency: 5 }, { api: { fetchPage } });
    expect(summary).toMatchObject({ failing: 5, waiting: 5, stoppedEarly: true });
    expect(summary).not.toHaveProperty('outageSince');
  });

  it('that goes on beside the sweep is not polled by that at the same time', async () => {
    const { site, state, poll } = await failingSite();
    const path = floorplansOf('p');
    state.error = refused;
    state.isDown = (each) => each === path;
    await poll();
    state.error = serviceBusy();
    state.isDown = () => true;
    await poll();
    expect((await poll(10)).summary).toHaveProperty('outageSince');
    // The list is back, and the projects say that it is due.
    site.project('p', 10, { name: 'P' });
    let inFlightCount = 0;
    let mostInFlight = 0;
    const fetchPage: ServiceApi['fetchPage'] = async (request, signal) => {
      if (request.path !== path) return site.api.fetchPage(request, signal);
      inFlightCount += 1;
      mostInFlight = Math.max(mostInFlight, inFlightCount);
      for (let turn = 0; turn < 20; turn += 1) await settlePromises();
      inFlightCount -= 1;
      return site.api.fetchPage(request, signal);
    };
    const summary = await site.poll({}, { api: { fetchPage } });
    expect(summary).toMatchObject({ polled: 7, waiting: 0 });
    expect(mostInFlight).toBe(1);
  });

  it('that succeeds polls no list twice', async () => {
    const { site } = await failingSite();
    const paths: string[] = [];
    const fetchPage: ServiceApi['fetchPage'] = (request, signal) => {
      if (paths.push(request.path) <= 5) return Promise.reject(serviceBusy());
      return site.api.fetchPage(request, signal);
    };
    await site.poll({ concurrency: 1 }, { api: { fetchPage } });
    expect(paths).toHaveLength(7);
    expect(new Set(paths).size).toBe(7);
  });
});

describe('when the pages of all lists are too slow', () => {
  const tooSlow = new PageTooSlowError('no answer in time', { hint: 'Wait.' });

  /** Runs of a minute on a list of projects whose pages of more than 20 are too slow. */
  async function runs(count: number, site: Site) {
    const sizes: number[][] = [];
    const fetchPage: ServiceApi['fetchPage'] = async (request, signal) => {
      if (request.path === PROJECTS) sizes.at(-1)?.push(request.perPage);
      const page = await site.api.fetchPage(request, signal);
      if (page.entities.length > 20) throw tooSlow;
      return page;
    };
    for (let run = 0; run < count; run += 1) {
      sizes.push([]);
      await site.poll({ paging: { perPage: 320, lookbackMs: 0 } }, { api: { fetchPage } });
      site.clock.advance(60_000);
    }
    return sizes;
  }

  it('the next probe of a list starts with a smaller page, until it is read', async () => {
    const site = new Site();
    for (let n = 0; n < 400; n += 1) site.project(`p${n}`, n);
    const sizes = await runs(2, site);
    expect(sizes[0]).toEqual([320, 160, 80, 40]);
    expect(sizes[1]?.slice(0, 4)).toEqual([160, 80, 40, 20]);
    expect(await site.feed('projects')).toMatchObject({ phase: 'live', failures: 0 });
  });

  it('a tie that needs such a page is stepped over once two polls have failed at it', async () => {
    const site = new Site();
    for (let n = 0; n < 50; n += 1) site.project(`p${n}`, 5);
    site.project('later', 6);
    await runs(4, site);
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(0);
    await runs(1, site);
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(1);
    expect(await site.feed('projects/later/floorplans')).toBeDefined();
  });

  it('since the service hung, a tie is read whole, though one more page is too slow', async () => {
    const { site, state, poll } = await failingSite();
    state.isDown = () => true;
    state.error = tooSlow;
    for (let minute = 0; minute < 12; minute += 1) await poll();
    for (const id of ['a', 'b', 'c']) site.project(id, 5);
    let slowCount = 1;
    state.isDown = () => (site.api.requests.at(-1)?.perPage ?? 0) > 2 && slowCount-- > 0;
    for (let minute = 0; minute < 3; minute += 1) await poll();
    expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toEqual(['a', 'b', 'c']);
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(0);
  });

  it('since the service hangs for hours, no list waits at the end, nor for an hour after its next failure', async () => {
    const { site, state, poll } = await failingSite();
    state.isDown = () => true;
    state.error = tooSlow;
    for (let minute = 0; minute < 200; minute += 1) await poll();
    state.isDown = (path) => path === PROJECTS;
    state.error = serviceBusy();
    expect((await poll()).summary).toMatchObject({ polled: 7, waiting: 1 });
    expect((await site.feed('projects'))?.notBefore).toBe(site.clock.now());
    state.isDown = () => false;
    expect((await poll()).summary).toMatchObject({ polled: 7, waiting: 0 });
    expect(await site.feed('projects')).not.toHaveProperty('slowPolls');
  });
});
