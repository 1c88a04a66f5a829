import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SiteBehindHttp } from '../support/site-behind-http.ts';
import { PROJECTS } from '../support/site.ts';

const MINUTE = 60_000;

/** The lists that a quota limits together. */
const LIMITED = {
  all: () => true,
  'all but the projects': (path: string) => path !== PROJECTS,
  floorplans: (path: string) => path.endsWith('/floorplans'),
};

interface Quota {
  readonly windowMinutes: number;
  /** Requests in a window for each list that is limited. */
  readonly perList: number;
  readonly limited: keyof typeof LIMITED;
  readonly tellsRetryAfter: boolean;
  /** Whether refused requests count, too. */
  readonly countsRefused: boolean;
}

/** The refusal of a request at a time, in milliseconds since 1970; undefined if it is answered. */
type Limit = (now: number) => Response | undefined;

interface Load {
  readonly projects: number;
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly hasChanges: boolean;
  /** Whether all runs are in one process. */
  readonly isWarm: boolean;
}

const loads: fc.Arbitrary<Load> = fc
  .record({
    projects: fc.integer({ min: 1, max: 12 }),
    latencyMs: fc.constantFrom(0, 200, 2_000),
    concurrency: fc.constantFrom(1, 4, 8),
    hasChanges: fc.boolean(),
    isWarm: fc.boolean(),
  })
  // A run would have no time for all lists.
  .filter(({ latencyMs, concurrency }) => latencyMs < 2_000 || concurrency > 1);

const refusals = { tellsRetryAfter: fc.boolean(), countsRefused: fc.boolean() };

const quotasForAll: fc.Arbitrary<Quota> = fc.record({
  windowMinutes: fc.constantFrom(2, 5, 10, 20, 30, 60),
  perList: fc.integer({ min: 6, max: 16 }),
  limited: fc.constant('all'),
  ...refusals,
});

const shortQuotas: fc.Arbitrary<Quota> = fc.record({
  windowMinutes: fc.constantFrom(1, 2, 5),
  perList: fc.constantFrom(0.8, 0.95, 1, 1.3),
  limited: fc.constantFrom('all', 'all but the projects', 'floorplans'),
  ...refusals,
});

/** What a service answers that limits all its lists together, in windows that begin with the first request. */
function limiting(
  { windowMinutes, tellsRetryAfter, countsRefused }: Quota,
  perWindow: number,
): Limit {
  let window = { endsAt: 0, left: 0 };
  return (now) => {
    if (now >= window.endsAt) window = { endsAt: now + windowMinutes * MINUTE, left: perWindow };
    const isTaken = window.left > 0;
    if (isTaken || countsRefused) window.left -= 1;
    if (isTaken) return undefined;
    return refusal(tellsRetryAfter ? window.endsAt - now : undefined);
  };
}

function refusal(retryAfterMs: number | undefined): Response {
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1_000);
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': `${seconds}` };
  return new Response('slow down', { status: 429, headers });
}

/** @returns the longest time that a list was not read for, in minutes, once some time has passed. */
async function longestGap(
  load: Load,
  isLimited: (path: string) => boolean,
  limitOf: (listCount: number) => Limit,
  time: { readonly minutes: number; readonly afterMinutes: number },
): Promise<number> {
  const { projects, latencyMs, concurrency, isWarm } = load;
  const site = new SiteBehindHttp({ requestsPerMinute: 500, isWarm });
  for (let n = 0; n < projects; n += 1) site.project(`p${n}`, 1);
  await site.runFor(3);
  site.latencyMs = latencyMs;
  const lists = site.takeRequests().map(({ path }) => path);
  const readAt = new Map(lists.map((path) => [path, 0]));
  const answer = limitOf([...readAt.keys()].filter(isLimited).length);
  site.answerInstead = (path) => (isLimited(path) ? answer(site.clock.now()) : undefined);
  let longest = 0;
  for (let minute = 0; minute < time.minutes; minute += 1) {
    if (load.hasChanges && minute % 3 === 0)
      site.floorplan(`p${minute % projects}`, `f${minute % 7}`, 10 + minute);
    await site.runFor(1, [{ concurrency, random: Math.random }]);
    for (const { path, status } of site.takeRequests())
      if (status === 200) readAt.set(path, minute);
    if (minute > time.afterMinutes)
      longest = Math.max(longest, minute - Math.min(...readAt.values()));
  }
  return longest;
}

/** The longest gap under a quota, once two windows have passed. */
function longestGapUnder(quota: Quota, load: Load, minutes: number): Promise<number> {
  const limitOf = (lists: number): Limit =>
    limiting(quota, Math.max(2, Math.ceil(quota.perList * lists)));
  const afterMinutes = 2 * quota.windowMinutes;
  return longestGap(load, LIMITED[quota.limited], limitOf, { minutes, afterMinutes });
}

/** One request after the other, where the lists that a window ends with were taken for limited alone. */
const ONE_BY_ONE: [Quota, Load] = [
  {
    ...{ windowMinutes: 60, perList: 6, limited: 'all' },
    ...{ tellsRetryAfter: false, countsRefused: false },
  },
  { projects: 1, latencyMs: 0, concurrency: 1, hasChanges: true, isWarm: false },
];

it('no list waits for much longer than a quota lasts that has room for six requests for each', async () => {
  const waits = fc.asyncProperty(quotasForAll, loads, async (quota, load) => {
    const minutes = Math.max(120, 3 * quota.windowMinutes);
    expect(await longestGapUnder(quota, load, minutes)).toBeLessThanOrEqual(
      quota.windowMinutes + 10,
    );
  });
  await fc.assert(waits, { numRuns: 1, examples: [ONE_BY_ONE] });
});

/** Room for six of seven lists: the seventh was taken for limited alone, and found the quota spent by the others whenever it was polled. */
const ALL_BUT_ONE: [Quota, Load] = [
  {
    ...{ windowMinutes: 1, perList: 0.8, limited: 'all' },
    ...{ tellsRetryAfter: true, countsRefused: false },
  },
  { projects: 3, latencyMs: 0, concurrency: 4, hasChanges: false, isWarm: false },
];

/** The quota begins anew in each run just after the list of projects was refused, which comes first. */
const IN_STEP: [Quota, Load] = [
  {
    ...{ windowMinutes: 1, perList: 0.8, limited: 'all' },
    ...{ tellsRetryAfter: false, countsRefused: false },
  },
  { projects: 5, latencyMs: 0, concurrency: 1, hasChanges: false, isWarm: false },
];

it('a quota of some minutes, with room for fewer requests than there are lists, starves none', async () => {
  const waits = fc.asyncProperty(shortQuotas, loads, async (quota, load) => {
    // A list that starves has waited for as long as this by then.
    expect(await longestGapUnder(quota, load, 120)).toBeLessThan(100);
  });
  await fc.assert(waits, { numRuns: 2, examples: [ALL_BUT_ONE, IN_STEP] });
});
