import { describe, expect, it } from 'vitest';
import { RefreshTokenRejectedError } from '../../functions/core/model/errors.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { change } from '../support/change.ts';
import type { PartialApi, PartialPorts } from '../support/complete-api.ts';
import { replaceCall } from '../support/intercept.ts';
import { checklistsOf, floorplansOf, liveSite, PROJECTS, type Site } from '../support/site.ts';

/** A site with this many projects, live: two lists each, and the projects list. */
async function siteOf(projects: number): Promise<Site> {
  const site = await liveSite();
  for (let n = 1; n < projects; n += 1) site.project(`p${n}`, 3 + n);
  await site.poll();
  await site.poll();
  site.takeEvents();
  site.api.takePaths();
  return site;
}

/** The service with a budget of requests a minute. */
function withBudget(site: Site, perMinute: number, requests = () => 100): PartialApi {
  return {
    fetchPage: (request, signal) => site.api.fetchPage(request, signal),
    allowance: () => ({ requests: requests(), perMinute }),
  };
}

/** Runs once with a budget of this many requests a minute, and returns the requested paths. */
async function pollWithin(
  site: Site,
  perMinute: number,
  options: Partial<RunOptions> = {},
  ports: PartialPorts = {},
) {
  site.api.takePaths();
  const requests = () => Math.max(0, perMinute - site.api.requests.length);
  const api = withBudget(site, perMinute, requests);
  const summary = await site.poll(options, { api, ...ports });
  site.clock.advance(60_000);
  return { summary, paths: site.api.takePaths() };
}

const warnings = (site: Site) => site.telemetry.logs.filter(({ level }) => level === 'warn');

describe('a run with a budget', () => {
  it('polls the projects and as many lists as the budget allows, and the next run the others', async () => {
    const site = await siteOf(3);
    const rounds = [];
    for (let n = 0; n < 3; n += 1) rounds.push((await pollWithin(site, 3)).paths);
    expect(rounds.map((paths) => paths[0])).toEqual([PROJECTS, PROJECTS, PROJECTS]);
    expect(rounds.map((paths) => paths.length)).toEqual([3, 3, 3]);
    expect(new Set(rounds.flat()).size).toBe(7);
  });

  it('leaves a third of the requests to jobs, while there are any', async () => {
    const site = await siteOf(6);
    await change(site, { command: 'reconcile', scope: { resource: 'projects' } });
    const { paths } = await pollWithin(site, 9, { concurrency: 1 });
    expect(paths.slice(6)).toEqual([PROJECTS, PROJECTS]);
  });

  it('leaves three requests to each list in process before it starts another', async () => {
    const site = await siteOf(6);
    let [active, most] = [0, 0];
    const fetchPage = async (request: PageRequest) => {
      active += 1;
      most = Math.max(most, active);
      await new Promise(setImmediate);
      active -= 1;
      return site.api.fetchPage(request);
    };
    await site.poll({}, { api: { fetchPage, allowance: () => ({ requests: 3, perMinute: 9 }) } });
    expect(most).toBe(2);
  });

  it('polls while there are jobs, also in a run that is shorter than the minute of its budget', async () => {
    const site = await siteOf(3);
    await change(site, { command: 'reconcile', scope: {} });
    const requests = () => Math.max(0, 10 - site.api.requests.length);
    const summary = await site.poll({}, { api: withBudget(site, 60, requests) });
    expect(summary.polled).toBeGreaterThan(1);
  });

  it('polls other lists, too, while the clock of many projects is ahead', async () => {
    const site = await siteOf(12);
    // Three pages that each run reads, until their time has come.
    for (let n = 1; n < 12; n += 1) site.project(`p${n}`, 36_000 + n);
    const { paths } = await pollWithin(site, 3, { concurrency: 1 });
    expect(paths.filter((path) => path !== PROJECTS)).toHaveLength(2);
  });

  it('polls the list that changes more often than the others', async () => {
    const site = await siteOf(6);
    const polls: string[] = [];
    for (let n = 1; n <= 24; n += 1) {
      site.floorplan('p3', `f${n}`, 100 + n);
      polls.push(...(await pollWithin(site, 4)).paths);
    }
    const count = (path: string) => polls.filter((each) => each === path).length;
    expect(count(floorplansOf('p3'))).toBeGreaterThan(2 * count(floorplansOf('p2')));
    expect(count(floorplansOf('p2'))).toBeGreaterThan(2);
  });

  it('starts no further list when a catch-up has spent the budget, and continues with it soon', async () => {
    const site = await siteOf(3);
    for (let n = 0; n < 40; n += 1) site.floorplan('p', `f${n}`, 100 + n);
    const { paths, summary } = await pollWithin(site, 8, { concurrency: 1, pagesPerTurn: 3 });
    expect(paths).toHaveLength(8);
    expect(new Set(paths).size).toBeLessThan(7);
    expect(summary.stoppedEarly).toBe(true);
    const next: string[] = [];
    for (let n = 0; n < 4; n += 1) next.push(...(await pollWithin(site, 3)).paths);
    expect(next).toContain(floorplansOf('p'));
  });

  it('polls the lists of a new project before the ranked ones', async () => {
    const site = await siteOf(4);
    await pollWithin(site, 4);
    site.project('new', 50);
    const { paths } = await pollWithin(site, 4, { concurrency: 1 });
    expect(paths.slice(0, 3).sort()).toEqual(
      [PROJECTS, floorplansOf('new'), checklistsOf('new')].sort(),
    );
  });
  it('reports the longest wait, without a time in which all lists were polled', async () => {
    const site = await siteOf(3);
    for (let n = 0; n < 4; n += 1) await pollWithin(site, 3);
    // In turns of two lists of six, the third turn has waited for three minutes.
    const waited = 60 + 120 + 180;
    expect(site.telemetry.counted('MaxWaitSeconds')).toBe(waited);
    for (let n = 0; n < 10; n += 1) await pollWithin(site, 7);
    await pollWithin(site, 3);
    expect(site.telemetry.counted('MaxWaitSeconds')).toBeLessThan(waited + 5 * 180);
  });

  it('counts no wait that is too long while the token is refused, which has its alarm', async () => {
    const site = await siteOf(30);
    for (const error of [
      new RefreshTokenRejectedError('refused', { hint: 'Put another.' }),
      undefined,
    ]) {
      if (error) site.api.answerNext(PROJECTS, () => Promise.reject(error));
      await pollWithin(site, 4, { maxWaitMs: 600_000, concurrency: 1 });
      expect(site.telemetry.counted('MaxWaitExceeded')).toBe(error ? 0 : 1);
      site.clock.advance(60_000);
    }
  });

  it('warns with numbers when the budget is too small for the maximum wait', async () => {
    const site = await siteOf(30);
    await pollWithin(site, 4, { maxWaitMs: 600_000 });
    const [warning] = warnings(site);
    expect(warning?.message).toContain('budget is too small: raise');
    expect(site.telemetry.counted('MaxWaitExceeded')).toBe(1);
    expect(warning?.fields).toEqual({
      lists: 61,
      requestsPerMinute: 4,
      maxWaitSeconds: 600,
      achievableWaitSeconds: (2 * 20 + 1) * 60,
      waitedSeconds: 0,
    });
    const enough = await siteOf(30);
    await pollWithin(enough, 8, { maxWaitMs: 600_000 });
    expect(warnings(enough)).toEqual([]);
  });

  it.each<[number, number[]]>([
    [600, []],
    [601, [661]],
  ])('warns of lists that wait longer than they may: none ran for %d s', async (seconds, waits) => {
    const site = await siteOf(3);
    await pollWithin(site, 3);
    site.clock.advance(seconds * 1000);
    await pollWithin(site, 7, { maxWaitMs: 600_000 });
    expect(warnings(site).map(({ fields }) => fields['waitedSeconds'])).toEqual(waits);
    for (const { message } of warnings(site)) expect(message).toContain('runs were missed');
  });

  it('continues when the history cannot be saved, and warns', async () => {
    const site = await siteOf(3);
    const store = replaceCall(site.store, 'savePollHistory', () => {
      throw new Error('throttled');
    });
    const { summary } = await pollWithin(site, 3, {}, { store });
    expect(summary.polled).toBe(3);
    const message = 'The poll history was not saved: the next run polls some lists too early';
    const fields = { cause: 'throttled' };
    expect(warnings(site)).toEqual([{ level: 'warn', message, fields }]);
  });
});

describe('a run that sweeps within its minute', () => {
  const EVERY_5_S = { pollEveryMs: 5000 };

  /** Starts a run, and lets its clock advance. */
  function sweeping(site: Site, options: Partial<RunOptions> = {}, ports: PartialPorts = {}) {
    const startedAt = site.clock.now();
    const remainingMs = () => startedAt + 55_000 - site.clock.now();
    const summary = site.poll({ ...EVERY_5_S, remainingMs, ...options }, ports);
    const pass = async (seconds: number): Promise<string[]> => {
      for (let n = 0; n <= seconds; n += 1) {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        if (n < seconds) site.clock.advance(1000);
      }
      return site.api.takePaths();
    };
    return { summary, pass };
  }

  it('polls all lists in each sweep, and publishes the changes', async () => {
    const site = await siteOf(1);
    const { summary, pass } = sweeping(site);
    expect(await pass(1)).toHaveLength(3);
    site.floorplan('p', 'new', 60);
    expect(await pass(5)).toHaveLength(3);
    expect(site.takeEvents().map(({ subject }) => subject)).toEqual(['/projects/p/floorplans/new']);
    await pass(60);
    expect(await summary).toMatchObject({ polled: 3, stoppedEarly: false });
    expect(site.telemetry.counted('RunsCompleted')).toBe(4);
    expect(site.clock.sleeping).toBe(0);
  });

  it.each([
    ['spreads the budget of the minute over the sweeps', 36, 5, [3, 3, 3]],
    ['gives the last sweep the rest of the budget until the next run', 12, 15, [3, 3, 6]],
  ])('%s', async (_, perMinute, seconds, expected) => {
    const site = await siteOf(3);
    const options = { pollEveryMs: seconds * 1000 };
    const { summary, pass } = sweeping(site, options, { api: withBudget(site, perMinute) });
    const sweeps = [await pass(1), await pass(seconds), await pass(seconds)];
    expect(sweeps.map((paths) => paths.length)).toEqual(expected);
    expect(new Set(sweeps.flat()).size).toBe(7);
    await pass(60);
    await summary;
  });
  it('ends with a failure instead of sweeping over it', async () => {
    const site = await siteOf(1);
    site.floorplan('p', 'new', 60);
    const topic = { publish: () => Promise.reject(new Error('broken')) };
    await expect(site.poll(EVERY_5_S, { topic })).rejects.toThrow('broken');
  });
});
