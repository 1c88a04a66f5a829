import { describe, expect, it } from 'vitest';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { decode } from '../../functions/core/schedule/poll-history-codec.ts';
import { floorplansOf, liveSite, serviceFailure, stopAfter, type Site } from '../support/site.ts';

/** What the last run left for the next one. */
const noteOf = async (site: Site) =>
  decode(await site.store.loadPollHistory(0), [], site.clock.now()).note;

/** Runs at a later minute. @returns whether the status takes it for one that polled every list. */
async function countsAsWhole(site: Site, poll: () => Promise<unknown>): Promise<boolean> {
  site.clock.advance(60_000);
  const startedAt = site.clock.now();
  await poll().catch(() => undefined);
  const { polledAllAt } = await noteOf(site);
  expect(polledAllAt).toBeLessThanOrEqual(startedAt);
  return polledAllAt === startedAt;
}

describe('a run has polled every list', () => {
  it('if it has ended by itself, whether lists fail or not', async () => {
    const site = await liveSite();
    expect(await countsAsWhole(site, () => site.poll())).toBe(true);
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
    expect(await countsAsWhole(site, () => site.poll())).toBe(true);
  });

  it.each<[string, (site: Site) => Promise<unknown>]>([
    [
      'stopped before its end',
      (site) => {
        site.floorplans('p', 10, 16);
        return stopAfter(site, floorplansOf('p'), 1);
      },
    ],
    [
      'failed',
      (site) => {
        site.floorplan('p', 'f', 10, { name: 'F' });
        const topic = { publish: () => Promise.reject(new Error('broken')) };
        return site.poll({}, { topic });
      },
    ],
    [
      'found that the service fails',
      (site) => site.poll({}, { api: { fetchPage: () => Promise.reject(serviceFailure) } }),
    ],
    [
      'has not the requests for all lists',
      (site) => {
        const fetchPage: ServiceApi['fetchPage'] = (...call) => site.api.fetchPage(...call);
        const allowance = () => ({ requests: 2, perMinute: 2 });
        return site.poll({}, { api: { fetchPage, allowance } });
      },
    ],
  ])('unless it %s', async (_, poll) => {
    const site = await liveSite();
    await site.poll();
    expect(await countsAsWhole(site, () => poll(site))).toBe(false);
  });
});
