import { expect, it } from 'vitest';
import { ServiceError } from '../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { checklistsOf, PROJECTS, Site } from '../support/site.ts';

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
