import { describe, expect, it } from 'vitest';
import { floorplansOf, liveSite, type Site } from '../support/site.ts';

const LOOKBACK_MS = 120_000;

/** Polls a list without a `Date`, on a host whose clock is moved while the page is answered. */
async function pollWhileClockMoves(ms: number): Promise<Site> {
  const site = await liveSite({ lookbackMs: LOOKBACK_MS });
  site.floorplan('p', 'new', 1000);
  expect(await site.events()).toEqual(['floorplan.created new']);
  site.api.answerNext(floorplansOf('p'), (page) => {
    site.clock.advance(ms);
    return page;
  });
  expect(await site.events()).toEqual([]);
  return site;
}

describe('A clock that is moved during a poll, without a Date', () => {
  it.each([0, 600_000, -LOOKBACK_MS, -600_000])('by %d ms hides no late commit', async (ms) => {
    const site = await pollWhileClockMoves(ms);
    site.floorplan('p', 'late', 1000 - LOOKBACK_MS / 1000 + 1);
    expect(await site.events()).toEqual(['floorplan.created late']);
  });
});
