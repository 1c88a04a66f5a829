import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../functions/core/model/errors.ts';
import { dueAt } from '../../functions/core/model/feed.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { failingSite } from '../support/failing-site.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const HOUR = 3_600_000;

it('lists that fail, and what they ask for, keep no list that is read waiting', async () => {
  const site = new Site();
  const projects = Array.from({ length: 20 }, (_, n) => `p${n}`);
  for (const id of projects) site.project(id, 1);
  await site.poll();
  const api: PartialApi = {
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
    expect(await site.poll({}, { api })).not.toHaveProperty('outageSince');
    const polled = new Set(site.api.takePaths());
    expect(projects.filter((id) => !polled.has(checklistsOf(id)))).toEqual([]);
  }
});

describe('when a list is answered with 429', () => {
  it.each([
    ['as long as the service asks', HOUR / 2, [30]],
    ['1, 2, 4, then 5 minutes', 0, [1, 2, 4, 5, 5]],
  ])('it waits for %s, and nothing else of it fails', async (_, retryAfterMs, minutes) => {
    const { site } = await failingSite();
    const limited = new ServiceError('429', { status: 429, hint: 'Wait.', retryAfterMs });
    for (const minute of minutes) {
      site.api.answerNext(floorplansOf('p'), () => Promise.reject(limited));
      const summary = await site.poll();
      expect(summary).toMatchObject({ polled: 7, waiting: 1, stoppedEarly: false });
      const until = dueAt((await site.feed('projects/p/floorplans')) ?? {});
      expect(until - site.clock.now()).toBe(minute * 60_000);
      site.clock.advance(minute * 60_000);
    }
  });
});

describe('when many lists fail, but the service works', () => {
  it('they wait on their own, and no other list waits for them', async () => {
    const { state, poll } = await failingSite();
    state.isDown = (path) => path !== PROJECTS && path !== checklistsOf('r');
    const { summary, logs } = await poll();
    expect(summary).toMatchObject({ waiting: 5, polled: 7 });
    expect(summary).not.toHaveProperty('outageSince');
    expect(new Set(logs)).toEqual(new Set(['error A list waits: its poll failed']));
  });
});
