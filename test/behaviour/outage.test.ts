import { describe, expect, it } from 'vitest';
import { RateLimitedError } from '../../functions/core/model/errors.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { failingSite, serviceBusy } from '../support/failing-site.ts';
import { floorplansOf, Site } from '../support/site.ts';

const HOUR = 3_600_000;

describe('when the whole service fails', () => {
  it.each([[' and asks for an hour', HOUR]])(
    'for hours%s, its end reaches all lists within five minutes',
    async (_, retryAfterMs) => {
      const { site, state, poll } = await failingSite();
      state.isDown = () => true;
      state.error = serviceBusy(retryAfterMs);
      const since = new Date(site.clock.now()).toISOString();
      const first = await poll();
      expect(first.summary).toMatchObject({ waiting: 7, outageSince: since });
      expect(first.logs).toContain('error The service fails: no list could be read');
      for (let minute = 0; minute < 200; minute += 1) {
        const { summary, logs } = await poll();
        expect(summary).toMatchObject({ waiting: 7, outageSince: since });
        expect(new Set(logs)).not.toContain('error The service fails: no list could be read');
      }
      expect(site.telemetry.counted('ServiceOutage')).toBe(201);
      expect(site.telemetry.counted('FeedsWaiting')).toBe(7 * 201);
      // The gauge was 0, 60, 120 … in turn.
      expect(site.telemetry.counted('OldestFailureSeconds')).toBe((60 * 200 * 201) / 2);
      state.isDown = () => false;
      const paths = new Set<string>();
      const logs: string[] = [];
      for (let minute = 0; minute < 6; minute += 1) {
        const after = await poll();
        for (const path of after.paths) paths.add(path);
        logs.push(...after.logs);
      }
      expect(paths.size).toBe(7);
      expect(logs).toEqual(['info The service works again']);
      expect((await poll()).summary).toMatchObject({ waiting: 0, polled: 7 });
    },
  );

  it('a run asks for five lists of each resource, and leaves the others alone', async () => {
    const site = new Site();
    for (let n = 0; n < 40; n += 1) site.project(`p${n}`, 1 + n);
    await site.poll();
    site.api.takePaths();
    const api: PartialApi = {
      async fetchPage(request, signal) {
        await site.api.fetchPage(request, signal);
        throw serviceBusy();
      },
    };
    const polled = new Set<string>();
    for (let minute = 0; minute < 10; minute += 1) {
      await site.poll({ concurrency: 1 }, { api });
      const paths = site.api.takePaths();
      expect(paths.length).toBeLessThanOrEqual(11);
      for (const path of paths) polled.add(path);
      site.clock.advance(60_000);
    }
    // Those that were not polled yet have their turn before those that failed, but for two.
    expect(polled.size).toBe(81);
  });
});

describe('when the service allows no request', () => {
  it('the next run knows it, and polls nothing', async () => {
    const { site } = await failingSite();
    const notes: string[] = [];
    const api: PartialApi = {
      fetchPage: () => Promise.reject(new RateLimitedError('429', { hint: 'Wait.' })),
      allowance: () => ({ requests: 0, perMinute: 10 }),
      handOver: () => 'nothing until then',
      beginRun: ({ note }) => notes.push(note ?? 'none'),
    };
    await site.poll({}, { api });
    const summary = await site.poll({}, { api });
    expect(notes.at(-1)).toBe('nothing until then');
    expect(summary).toMatchObject({ polled: 0, waiting: 0 });
  });
});

it('a broken endpoint leaves its requests to the lists of others', async () => {
  const site = new Site();
  const projects = Array.from({ length: 20 }, (_, n) => `p${n}`);
  for (const id of projects) site.project(id, 1);
  await site.poll();
  let left = 0;
  const api: PartialApi = {
    async fetchPage(request, signal) {
      left -= 1;
      const page = await site.api.fetchPage(request, signal);
      if (request.path.endsWith('floorplans')) throw serviceBusy();
      return page;
    },
    allowance: () => ({ requests: Math.max(0, left), perMinute: 20 }),
  };
  const read = new Set<string>();
  for (let minute = 0; minute < 60; minute += 1) {
    left = 20;
    site.api.takePaths();
    await site.poll({ concurrency: 1, maxWaitMs: 300_000 }, { api });
    site.clock.advance(60_000);
    const others = site.api.takePaths().filter((path) => !path.endsWith('floorplans'));
    if (minute >= 30) for (const path of others) read.add(path);
    expect(others.length).toBeGreaterThanOrEqual(15);
  }
  expect(read.size).toBe(21);
  expect(read).not.toContain(floorplansOf('p0'));
});
