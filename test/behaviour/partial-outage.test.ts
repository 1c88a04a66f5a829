import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../functions/core/model/errors.ts';
import { dueAt } from '../../functions/core/model/feed.ts';
import { failingSite } from '../support/failing-site.ts';
import { checklistsOf, floorplansOf, PROJECTS } from '../support/site.ts';

const HOUR = 3_600_000;

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
