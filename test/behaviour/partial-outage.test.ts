import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { failingSite } from '../support/failing-site.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const HOUR = 3_600_000;

it.each([1, 2, 3])(
  'lists that fail, and what they ask for, keep no list that is read waiting (chance %i)',
  async (seed) => {
    const site = new Site();
    const projects = Array.from({ length: 20 }, (_, n) => `p${n}`);
    for (const id of projects) site.project(id, 1);
    await site.poll();
    let draws = seed;
    const random = () => (draws = (draws * 16_807) % 2_147_483_647) / 2_147_483_647;
    const api: ServiceApi = {
      async fetchPage(request, signal) {
        const page = await site.api.fetchPage(request, signal);
        if (request.path !== PROJECTS && !request.path.endsWith('floorplans')) return page;
        // The tries of a failing request take longer than an answer.
        for (let turn = 0; turn < 12; turn += 1) await new Promise(setImmediate);
        throw new ServiceError('503', { status: 503, hint: 'Wait.', retryAfterMs: HOUR });
      },
    };
    site.api.takePaths();
    for (let minute = 0; minute < 20; minute += 1) {
      site.clock.advance(60_000);
      expect(await site.poll({ random }, { api })).not.toHaveProperty('outageSince');
      const polled = new Set(site.api.takePaths());
      expect(projects.filter((id) => !polled.has(checklistsOf(id)))).toEqual([]);
    }
  },
);

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
