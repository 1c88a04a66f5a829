import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SiteBehindHttp } from '../support/site-behind-http.ts';

const MINUTE = 60_000;
/** Requests of a window beside those for each list: of the first pass, and of changes. */
const SPARE = 10;

interface Quota {
  readonly windowMinutes: number;
  /** Requests in a window for each list. */
  readonly perList: number;
  readonly tellsRetryAfter: boolean;
  /** Whether refused requests count, too. */
  readonly countsRefused: boolean;
}

interface Load {
  readonly projects: number;
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly hasChanges: boolean;
}

const flag = fc.boolean();

const quotas: fc.Arbitrary<Quota & Load> = fc.record({
  windowMinutes: fc.constantFrom(2, 5, 10, 20, 30, 60),
  perList: fc.integer({ min: 2, max: 16 }),
  ...{ tellsRetryAfter: flag, countsRefused: flag },
  projects: fc.integer({ min: 1, max: 12 }),
  latencyMs: fc.constantFrom(0, 200, 2_000),
  concurrency: fc.constantFrom(1, 4, 8),
  hasChanges: flag,
});

/** What a service answers that limits all its lists together, in windows that begin with the first request. */
function limiting({ windowMinutes, tellsRetryAfter, countsRefused }: Quota, perWindow: number) {
  let window = { endsAt: 0, left: 0 };
  return (now: number): Response | undefined => {
    if (now >= window.endsAt) window = { endsAt: now + windowMinutes * MINUTE, left: perWindow };
    const isTaken = window.left > 0;
    if (isTaken || countsRefused) window.left -= 1;
    if (isTaken) return undefined;
    const seconds = Math.ceil((window.endsAt - now) / 1_000);
    const headers = tellsRetryAfter ? { 'Retry-After': `${seconds}` } : {};
    return new Response('slow down', { status: 429, headers });
  };
}

/** @returns the longest time that a list was not read for, in minutes, once two windows have passed. */
async function longestGap(quota: Quota & Load): Promise<number> {
  const { projects, latencyMs, concurrency, windowMinutes } = quota;
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  for (let n = 0; n < projects; n += 1) site.project(`p${n}`, 1);
  await site.runFor(3);
  site.latencyMs = latencyMs;
  const lists = 1 + 2 * projects;
  const answer = limiting(quota, quota.perList * lists + SPARE);
  site.answerInstead = () => answer(site.clock.now());
  const readAt = new Map<string, number>();
  let longest = 0;
  for (let minute = 0; minute < Math.max(180, 6 * windowMinutes); minute += 1) {
    if (quota.hasChanges && minute % 3 === 0)
      site.floorplan(`p${minute % projects}`, `f${minute % 7}`, 10 + minute);
    await site.runFor(1, [{ concurrency }]);
    for (const { path, status } of site.takeRequests())
      if (status === 200) readAt.set(path, minute);
    if (minute <= 2 * windowMinutes) continue;
    expect(readAt.size).toBe(lists);
    longest = Math.max(longest, minute - Math.min(...readAt.values()));
  }
  return longest;
}

/** One request after the other, where the lists that a window ends with were taken for limited alone. */
const ONE_BY_ONE: Quota & Load = {
  ...{ windowMinutes: 60, perList: 9, tellsRetryAfter: false, countsRefused: true },
  ...{ projects: 7, latencyMs: 0, concurrency: 1, hasChanges: false },
};

it('no list waits for longer than a window of a quota that has room for all lists', async () => {
  const waits = fc.asyncProperty(quotas, async (quota) => {
    expect(await longestGap(quota)).toBeLessThanOrEqual(quota.windowMinutes + 1);
  });
  await fc.assert(waits, { numRuns: 4, examples: [[ONE_BY_ONE]] });
});
