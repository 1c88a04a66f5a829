import { describe, expect, it } from 'vitest';
import { decode } from '../../functions/core/schedule/poll-history-codec.ts';
import { floorplansOf, liveSite, serviceFailure, type Site } from '../support/site.ts';

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
      'found that the service fails',
      (site) => site.poll({}, { api: { fetchPage: () => Promise.reject(serviceFailure) } }),
    ],
  ])('unless it %s', async (_, poll) => {
    const site = await liveSite();
    await site.poll();
    expect(await countsAsWhole(site, () => poll(site))).toBe(false);
  });
});
