import { describe, expect, it } from 'vitest';
import { RefreshTokenRejectedError } from '../../functions/core/model/errors.ts';
import { decode } from '../../functions/core/schedule/poll-history-codec.ts';
import {
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
  stopAfter,
  type Site,
} from '../support/site.ts';

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

it('a token is taken for refused until a run has asked the service', async () => {
  const site = await liveSite();
  const error = new RefreshTokenRejectedError('refused', { hint: 'Put another.' });
  site.api.answerNext(PROJECTS, () => Promise.reject(error));
  const tokens: unknown[] = [];
  for (const requests of [9, 0, 9]) {
    const allowance = () => ({ requests, perMinute: 9 });
    const fetchPage = site.api.fetchPage.bind(site.api);
    await site.poll({ concurrency: 1 }, { api: { fetchPage, allowance } });
    tokens.push((await noteOf(site)).token);
  }
  expect(tokens).toEqual(['refused', 'refused', undefined]);
});

describe('a run has polled every list', () => {
  it('if it has ended by itself, whether lists fail or not', async () => {
    const site = await liveSite();
    expect(await countsAsWhole(site, () => site.poll())).toBe(true);
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
    expect(await countsAsWhole(site, () => site.poll())).toBe(true);
  });

  it.each<[string, (site: Site) => Promise<unknown>]>([
    [
      'found that the service fails',
      (site) => site.poll({}, { api: { fetchPage: () => Promise.reject(serviceFailure) } }),
    ],
    ['ended early', (site) => stopAfter(site, floorplansOf('p'), 0)],
    [
      'could not commit a page',
      (site) => {
        site.floorplan('p', 'new', 10);
        return site.poll({}, { topic: { publish: () => Promise.reject(new Error('broken')) } });
      },
    ],
  ])('unless it %s', async (_, poll) => {
    const site = await liveSite();
    await site.poll();
    expect(await countsAsWhole(site, () => poll(site))).toBe(false);
  });
});
