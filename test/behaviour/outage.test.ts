import { describe, expect, it } from 'vitest';
import {
  FeedRefusedError,
  PublishFailedError,
  RateLimitedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import type { Page, ServiceApi } from '../../functions/core/ports/service-api.ts';
import { decodeHandover } from '../../functions/core/run/handover.ts';
import { noteIn } from '../../functions/core/schedule/poll-history-codec.ts';
import { failingSite, serviceBusy } from '../support/failing-site.ts';
import { change, place } from '../support/place-commands.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const HOUR = 3_600_000;
const refused = new FeedRefusedError('GET: 404', { status: 404, hint: 'Wait.' });
const opened = 'error The service fails; only one list of each kind is polled until it works again';

describe('when the whole service fails', () => {
  it.each([
    ['with 503', serviceBusy()],
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

  it('the next run knows the last failure, in 200 characters', async () => {
    const { site, state, poll } = await failingSite();
    const causeOf = async () =>
      decodeHandover(noteIn(await site.store.loadPollHistory(0)), site.clock.now()).outage?.cause;
    state.isDown = () => true;
    state.error = serviceBusy();
    await poll();
    expect(await causeOf()).toBe(serviceBusy().message);
    state.error = new ServiceError(`GET: ${'x'.repeat(300)}`, { hint: 'Wait.' });
    await poll();
    expect(await causeOf()).toBe(`GET: ${'x'.repeat(195)}`);
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
    state.error = serviceBusy(HOUR / 2);
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
    state.error = serviceBusy(HOUR);
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
    state.error = serviceBusy(HOUR);
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
      state.error = serviceBusy(HOUR);
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
        if (isDown(request.path)) throw serviceBusy(retryAfterMs);
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
    state.error = serviceBusy(notBefore - site.clock.now() + 3000);
    expect((await poll()).summary).toHaveProperty('outageSince');
    // All is well again but that list, which takes some seconds to fail, and asks for an hour.
    state.isDown = (path) => {
      if (path === q) site.clock.advance(6000);
      return path === q;
    };
    state.error = serviceBusy(HOUR);
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
    state.error = serviceBusy(HOUR);
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
    state.error = serviceBusy();
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
    state.error = serviceBusy();
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

describe('an outage holds up no reconciliation once the service works', () => {
  it.each([
    ['all lists are paused', [], ['p', 'q', 'r']],
    ['those that are not paused are refused', ['q', 'r'], ['p']],
  ])('although %s', async (_, refusedProjects, pausedProjects) => {
    const { site, state, poll } = await failingSite();
    for (const id of refusedProjects) {
      for (const list of [floorplansOf(id), checklistsOf(id)]) site.api.refuse(list);
    }
    await poll();
    state.isDown = () => true;
    for (let n = 0; n < 3; n += 1) await poll();
    await change(
      site,
      { command: 'pause', scope: { resource: 'projects' } },
      ...pausedProjects.map((projectId) => ({ command: 'pause', scope: { projectId } }) as const),
    );
    await place(site, { name: 'reconcile', scope: {} });
    await poll();
    state.isDown = () => false;
    for (let n = 0; n < 3; n += 1) await poll();
    const { commands, reports } = await site.store.loadShard([0]);
    expect(commands).toEqual([]);
    expect(reports).toHaveLength(1);
    expect((await poll()).summary).not.toHaveProperty('outageSince');
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
