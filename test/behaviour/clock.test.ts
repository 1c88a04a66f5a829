import { describe, expect, it } from 'vitest';
import { floorplansOf, liveSite, type Site } from '../support/site.ts';

const LOOKBACK_MS = 120_000;

/** Polls a list without a `Date`, on a host whose clock is moved while the page is answered. */
async function pollWhileClockMoves(ms: number): Promise<Site> {
  const site = await liveSite({ lookbackMs: LOOKBACK_MS });
  site.floorplan('p', 'new', 1000);
  expect(await site.events()).toEqual(['floorplan.created new']);
  await site.catchUp();
  site.api.answerNext(floorplansOf('p'), (page) => {
    site.clock.set(ms);
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

it('A clock that is set back while the pages of a list are read, without a Date, hides no late commit', async () => {
  const site = await liveSite({ lookbackMs: LOOKBACK_MS });
  for (const [id, second] of [
    ['a', 975],
    ['b', 1000],
  ] as const)
    site.floorplan('p', id, second);
  site.api.answerNext(floorplansOf('p'), (page) => {
    site.clock.advance(80_000);
    site.clock.set(-80_000);
    // Changed while the list is read: it is on the next page.
    site.floorplan('p', 'c', 1080);
    return { ...page, hasMore: true };
  });
  expect(await site.events({ remainingMs: () => 600_000 })).toHaveLength(3);
  // Committed after the first page was read, for longer than the lookback before the last.
  site.floorplan('p', 'late', 930);
  site.clock.advance(60_000);
  expect(await site.events()).toEqual(['floorplan.created late']);
});
