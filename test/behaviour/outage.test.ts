import { describe, expect, it } from 'vitest';
import {
  FeedRefusedError,
  PageTooSlowError,
  PublishFailedError,
  RateLimitedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import type { Page, ServiceApi } from '../../functions/core/ports/service-api.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const HOUR = 3_600_000;
const refused = new FeedRefusedError('GET: 404', { status: 404, hint: 'Wait.' });
const busy = (retryAfterMs = 0) =>
  new ServiceError('GET: 503', { status: 503, hint: 'Wait.', retryAfterMs });

/** A live site of seven lists, whose service fails while `isDown` says so. */
async function failingSite() {
  const site = new Site();
  for (const id of ['p', 'q', 'r']) site.project(id, 1);
  await site.poll();
  site.api.takePaths();
  const state = { isDown: (() => false) as (path: string) => boolean, error: busy() as Error };
  const api: ServiceApi = {
    async fetchPage(request, signal): Promise<Page> {
      const page = await site.api.fetchPage(request, signal);
      if (state.isDown(request.path)) throw state.error;
      return page;
    },
  };
  const poll = async (minutes = 1) => {
    const summary = await site.poll({}, { api });
    const paths = site.api.takePaths();
    const logs = site.telemetry.logs.splice(0).map(({ level, message }) => `${level} ${message}`);
    site.clock.advance(minutes * 60_000);
    return { summary, paths, logs };
  };
  return { site, state, poll, api };
}

const opened = 'error The service fails; only one list of each kind is polled until it works again';

describe('when the whole service fails', () => {
  it.each([
    ['with 503', busy()],
    ['with 404', refused],
  ])('%s for hours, the first success wakes all lists at once', async (_, error) => {
    const { site, state, poll } = await failingSite();
    state.isDown = () => true;
    state.error = error;
    const since = new Date(site.clock.now()).toISOString();
    const nextTry = new Date(site.clock.now() + 60_000).toISOString();
    const first = await poll();
    expect(first.summary).toMatchObject({ waiting: 7, outageSince: since, nextTry });
    expect(first.logs).toEqual([opened]);
    for (let minute = 0; minute < 200; minute += 1) {
      const { summary, paths, logs } = await poll();
      expect(summary).toMatchObject({ waiting: 7, parked: 0, outageSince: since });
      expect(paths[0]).toBe(PROJECTS);
      expect(paths).toHaveLength(3);
      expect(logs).toEqual([`warn The service still fails: ${error.message}`]);
    }
    expect(site.telemetry.counted('ServiceOutage')).toBe(201);
    expect(site.telemetry.counted('FeedsWaiting')).toBe(7 * 201);
    expect(site.telemetry.counted('NextTrySeconds')).toBe(60 * 201);
    // The gauge was 0, 60, 120 … in turn.
    expect(site.telemetry.counted('OldestFailureSeconds')).toBe((60 * 200 * 201) / 2);
    state.isDown = () => false;
    const { summary, paths, logs } = await poll();
    expect(new Set(paths).size).toBe(7);
    expect(paths).toHaveLength(7);
    expect(summary).toMatchObject({ waiting: 0, failing: 0, polled: 7 });
    expect(summary).not.toHaveProperty('outageSince');
    expect(logs).toEqual(['info The service works again']);
  });

  it('while a run reads lists, the next one notices it', async () => {
    const { site, state, poll, api } = await failingSite();
    let requests = 0;
    state.isDown = () => (requests += 1) > 2;
    const first = await site.poll({ concurrency: 1 }, { api });
    expect(first).not.toHaveProperty('outageSince');
    site.clock.advance(60_000);
    expect((await poll()).summary).toHaveProperty('outageSince');
    state.isDown = () => false;
    expect((await poll()).summary).toMatchObject({ polled: 7, waiting: 0 });
  });

  it('lists that backed off before are polled at once, too', async () => {
    const { state, poll } = await failingSite();
    state.isDown = (path) => path === floorplansOf('q');
    for (const minutes of [1, 2, 4, 8]) await poll(minutes);
    state.isDown = () => true;
    await poll();
    await poll();
    state.isDown = () => false;
    expect((await poll()).paths).toContain(floorplansOf('q'));
  });

  it('no list is polled before the time that the service asked for', async () => {
    const { site, state, poll } = await failingSite();
    state.isDown = () => true;
    state.error = busy(HOUR / 2);
    const nextTry = new Date(site.clock.now() + HOUR / 2).toISOString();
    await poll();
    for (let minute = 1; minute < 30; minute += 1) {
      const { summary, paths } = await poll();
      expect(paths).toEqual([]);
      expect(summary).toMatchObject({ waiting: 7, nextTry });
    }
    expect((await poll()).paths).toHaveLength(3);
  });

  it('a list that becomes due in the time that the service asked for is probed, once, and moves no other', async () => {
    const { site, state, poll } = await failingSite();
    state.isDown = (path) => path === floorplansOf('q');
    for (const minutes of [1, 2, 4, 8]) await poll(minutes);
    await poll();
    state.isDown = (path) => path !== floorplansOf('r');
    state.error = busy(HOUR);
    // Of the lists that are due, all but one fail; then that one, too.
    await poll();
    state.isDown = () => true;
    const nextTry = new Date(site.clock.now() + 14 * 60_000).toISOString();
    const { summary } = await poll();
    expect(summary).toHaveProperty('outageSince');
    expect(summary).toMatchObject({ nextTry });
    const paths: string[] = [];
    for (let minute = 1; minute < 59; minute += 1) paths.push(...(await poll()).paths);
    expect(paths).toEqual([floorplansOf('q')]);
    // Those that asked for their hour a minute before become due together, and each is probed.
    expect((await poll()).paths).toHaveLength(5);
  });

  it('a list that becomes due in the time that the service asked of others ends the outage', async () => {
    const { state, poll } = await failingSite();
    state.isDown = (path) => path === floorplansOf('q');
    for (const minutes of [1, 2, 4, 8]) await poll(minutes);
    await poll();
    state.isDown = (path) => path !== floorplansOf('q');
    state.error = busy(HOUR);
    expect((await poll()).summary).toHaveProperty('outageSince');
    for (let minute = 1; minute < 15; minute += 1) expect((await poll()).paths).toEqual([]);
    const { summary, paths } = await poll();
    expect(paths).toContain(floorplansOf('q'));
    expect(summary).not.toHaveProperty('outageSince');
  });

  it.each(['q', 'r'])(
    'each of two lists that become due in the time that the service asked for is probed, whichever is well: %s',
    async (well) => {
      const { state, poll } = await failingSite();
      const [q, r] = [floorplansOf('q'), floorplansOf('r')];
      state.isDown = (path) => path === q || path === r;
      for (const minutes of [1, 2, 4, 8, 1]) await poll(minutes);
      state.isDown = (path) => path !== floorplansOf(well);
      state.error = busy(HOUR);
      expect((await poll()).summary).toHaveProperty('outageSince');
      for (let minute = 1; minute < 15; minute += 1) expect((await poll()).paths).toEqual([]);
      const { summary, paths } = await poll();
      expect(paths).toEqual(expect.arrayContaining([q, r]));
      expect(summary).not.toHaveProperty('outageSince');
    },
  );

  it('lists that become due together in a wait are probed a few at a time', async () => {
    const site = new Site();
    for (let n = 0; n < 40; n += 1) site.project(`p${n}`, 1);
    await site.poll();
    let isDown = (path: string): boolean => path.endsWith('floorplans');
    let retryAfterMs = 0;
    const running = { now: 0, most: 0 };
    const api: ServiceApi = {
      async fetchPage(request, signal): Promise<Page> {
        running.now += 1;
        running.most = Math.max(running.most, running.now);
        const page = await site.api.fetchPage(request, signal).finally(() => (running.now -= 1));
        if (isDown(request.path)) throw busy(retryAfterMs);
        return page;
      },
    };
    for (const minutes of [1, 2, 4, 8, 1]) {
      await site.poll({}, { api });
      site.clock.advance(minutes * 60_000);
    }
    isDown = () => true;
    retryAfterMs = HOUR;
    running.most = 0;
    site.api.takePaths();
    for (let minute = 0; minute < 30; minute += 1) {
      await site.poll({}, { api });
      site.clock.advance(60_000);
    }
    const probed = site.api.takePaths().filter((path) => path.endsWith('floorplans'));
    expect(new Set(probed).size).toBe(40);
    expect(running.most).toBeLessThanOrEqual(16);
  });

  it('the wait of a list that became due holds for no other, though the wait of all ends during its probe', async () => {
    const { site, state, poll } = await failingSite();
    const q = floorplansOf('q');
    state.isDown = (path) => path === q;
    for (const minutes of [1, 2, 4, 8, 1]) await poll(minutes);
    const { notBefore = 0 } = (await site.feed('projects/q/floorplans')) ?? {};
    state.isDown = () => true;
    state.error = busy(notBefore - site.clock.now() + 3000);
    expect((await poll()).summary).toHaveProperty('outageSince');
    // All is well again but that list, which takes some seconds to fail, and asks for an hour.
    state.isDown = (path) => {
      if (path === q) site.clock.advance(6000);
      return path === q;
    };
    state.error = busy(HOUR);
    while (site.clock.now() < notBefore) await poll();
    await poll();
    expect((await poll()).summary).not.toHaveProperty('outageSince');
  });

  it('a list that becomes due while a probe is under way is probed by the next run', async () => {
    const { site, state, poll } = await failingSite();
    const q = floorplansOf('q');
    let answerMs = 0;
    state.isDown = (path) => {
      if (path !== q) site.clock.advance(answerMs);
      return answerMs === 0 ? path === q : path !== q;
    };
    for (const minutes of [1, 2, 4, 8]) await poll(minutes);
    await poll(0);
    const { notBefore = 0 } = (await site.feed('projects/q/floorplans')) ?? {};
    site.clock.advance(notBefore - 2000 - site.clock.now());
    answerMs = 3000;
    state.error = busy(HOUR);
    const { summary, paths } = await poll();
    expect(summary).toHaveProperty('outageSince');
    expect(paths).not.toContain(q);
    expect((await poll()).paths).toContain(q);
  });

  it('while the projects list also fails on its own, another list shows that the service works', async () => {
    const { state, poll } = await failingSite();
    state.isDown = () => true;
    await poll();
    state.isDown = (path) => path === PROJECTS;
    const { summary, logs } = await poll();
    expect(summary).toMatchObject({ waiting: 1, failing: 1 });
    expect(logs[0]).toBe('info The service works again');
  });

  it('lists that are refused are polled when they are due, and their return ends the outage', async () => {
    const { site, state, poll } = await failingSite();
    state.error = refused;
    state.isDown = (path) => path !== PROJECTS;
    for (const minutes of [1, 2, 4]) await poll(minutes);
    state.isDown = (path) => path === PROJECTS;
    state.error = busy();
    // The first poll finds them back, so the projects fail on their own.
    const { summary, paths } = await poll();
    expect(new Set(paths).size).toBe(7);
    expect(summary).toMatchObject({ failing: 1, waiting: 1 });
    expect(summary).not.toHaveProperty('outageSince');
    site.clock.advance(60_000);
    state.error = refused;
    state.isDown = (path) => path !== PROJECTS;
    await poll();
    state.isDown = () => true;
    expect((await poll(10)).summary).toHaveProperty('outageSince');
    // Refused as before: none counts as a failure, and each waits on its own.
    expect((await poll()).paths).toHaveLength(7);
    expect((await poll()).paths).toEqual([PROJECTS]);
    state.isDown = (path) => path === PROJECTS;
    site.clock.advance(10 * 60_000);
    const last = await poll();
    expect(new Set(last.paths).size).toBe(7);
    expect(last.summary).not.toHaveProperty('outageSince');
  });

  it('lists that are due after they were refused are not all asked for nothing', async () => {
    const { state, poll } = await failingSite();
    state.error = refused;
    state.isDown = (path) => path !== PROJECTS;
    for (const minutes of [1, 2, 4]) await poll(minutes);
    state.isDown = () => true;
    state.error = busy();
    await poll();
    expect((await poll()).paths).toHaveLength(2);
  });

  it('a page that waits for the topic is not published again by a probe, nor at the end', async () => {
    const { site, state, poll } = await failingSite();
    site.project('p', 10, { name: 'P' });
    site.topic.publish = () =>
      Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    for (const minutes of [1, 1, 2, 4, 1]) {
      await expect(poll()).rejects.toThrow('throttled');
      site.clock.advance(minutes * 60_000);
    }
    site.api.takePaths();
    state.isDown = () => true;
    await poll();
    const { summary, paths } = await poll();
    expect(summary).toHaveProperty('outageSince');
    expect(paths).toHaveLength(2);
    expect(paths).not.toContain(PROJECTS);
    state.isDown = () => false;
    const after = await poll();
    expect(after.paths).toHaveLength(6);
    expect(after.summary).toMatchObject({ polled: 6, waiting: 1 });
  });
});

describe('a probe', () => {
  /** Fails all requests at first, and answers as `answer` says from then on. */
  async function outageWith(answer: (site: Site, path: string) => Promise<void>) {
    const { site } = await failingSite();
    let hasBegun = false;
    const fetchPage: ServiceApi['fetchPage'] = async (request, signal) => {
      const page = await site.api.fetchPage(request, signal);
      if (!hasBegun) throw busy();
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
      throw busy();
    });
    const options = { concurrency: 1 };
    expect(await poll(options)).not.toHaveProperty('outageSince');
    site.clock.advance(15_000);
    expect(await poll(options)).toMatchObject({ polled: 6, waiting: 1 });
  });

  it('is sent once in a run, however often the run sweeps', async () => {
    const { site, poll } = await outageWith(() => Promise.reject(busy()));
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
      if (requests <= 5) throw busy();
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
    state.error = busy();
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
      if (paths.push(request.path) <= 5) return Promise.reject(busy());
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
    state.error = busy();
    expect((await poll()).summary).toMatchObject({ polled: 7, waiting: 1 });
    expect((await site.feed('projects'))?.notBefore).toBe(site.clock.now());
    state.isDown = () => false;
    expect((await poll()).summary).toMatchObject({ polled: 7, waiting: 0 });
    expect(await site.feed('projects')).not.toHaveProperty('slowPolls');
  });
});

describe('when the service allows no request', () => {
  it('for half an hour, the next runs know it, poll nothing, and say until when', async () => {
    const { site } = await failingSite();
    const until = site.clock.now() + HOUR / 2;
    const told: string[] = [];
    const api: ServiceApi = {
      fetchPage: () => Promise.reject(new RateLimitedError('429', { hint: 'Wait.' })),
      allowance: () => ({ requests: 0, perMinute: 10, nextStartAt: until }),
      handOver: () => 'nothing until then',
      resume: (text) => told.push(text),
    };
    await site.poll({}, { api });
    const summary = await site.poll({}, { api });
    expect(told).toEqual(['nothing until then']);
    const nextTry = new Date(until).toISOString();
    expect(summary).toMatchObject({ polled: 0, failing: 0, waiting: 7, nextTry });
  });

  it('in its time, a request is to fail instead of waiting for longer', async () => {
    const { site } = await failingSite();
    const limits = new Set<number | undefined>();
    const fetchPage: ServiceApi['fetchPage'] = (request, signal) => {
      limits.add(request.startBefore);
      return site.api.fetchPage(request, signal);
    };
    await site.poll({}, { api: { fetchPage } });
    expect([...limits]).toEqual([site.clock.now() + 45_000]);
  });
});

describe('when one list alone is answered with 429', () => {
  it('it backs off alone, for as long as the service asks, and pauses no other', async () => {
    const { site } = await failingSite();
    const { clock } = site;
    const limitedPath = floorplansOf('p');
    const started: string[][] = [];
    const samples: string[] = [];
    const wasLimited: (boolean | undefined)[] = [];
    const api: ServiceApi = {
      fetchPage(request, signal) {
        started.at(-1)?.push(request.path);
        if (request.path !== limitedPath) return site.api.fetchPage(request, signal);
        samples.push(...(request.samples?.() ?? []).map(({ path }) => path));
        wasLimited.push(request.wasLimited);
        const retryAfterMs = HOUR / 2;
        throw new ServiceError('429', { status: 429, hint: 'Wait.', retryAfterMs });
      },
    };
    const beganAt = clock.now();
    for (const failing of [1, 0]) {
      started.push([]);
      const summary = await site.poll({}, { api });
      expect(summary).toMatchObject({ failing, stoppedEarly: false });
      clock.advance(60_000);
    }
    expect(started[0]).toHaveLength(7);
    expect(started[1]).toHaveLength(6);
    expect(started[1]).not.toContain(limitedPath);
    expect((await site.feed('projects/p/floorplans'))?.notBefore).toBe(beganAt + HOUR / 2);
    expect(samples).toHaveLength(2);
    for (const path of samples) expect(path).not.toMatch(/\/floorplans$/);
    clock.advance(HOUR / 2);
    await site.poll({}, { api });
    expect(wasLimited).toEqual([false, true]);
  });
});

describe('when many lists fail, but the service works', () => {
  it('they back off on their own, and no other list waits for them', async () => {
    const { state, poll } = await failingSite();
    state.isDown = (path) => path !== PROJECTS && path !== checklistsOf('r');
    const { summary, logs } = await poll();
    expect(summary).toMatchObject({ failing: 5, waiting: 5, polled: 7 });
    expect(summary).not.toHaveProperty('outageSince');
    expect(new Set(logs)).toEqual(
      new Set(['error A feed failed; its cursor stays, and it is retried later']),
    );
  });
});
