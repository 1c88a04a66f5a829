import { expect, it } from 'vitest';
import { SiteBehindHttp } from '../support/site-behind-http.ts';

const MINUTE = 60_000;

interface Quota {
  readonly windowMinutes: number;
  /** Requests in a window for each list. */
  readonly perList: number;
  readonly tellsRetryAfter: boolean;
}

/** The refusal of a request at a time, in milliseconds since 1970; undefined if it is answered. */
type Limit = (now: number) => Response | undefined;

interface Load {
  readonly projects: number;
  readonly concurrency: number;
  readonly hasChanges: boolean;
}

/** What a service answers that limits all its lists together, in windows that begin with the first request. */
function limiting({ windowMinutes, tellsRetryAfter }: Quota, perWindow: number): Limit {
  let window = { endsAt: 0, left: 0 };
  return (now) => {
    if (now >= window.endsAt) window = { endsAt: now + windowMinutes * MINUTE, left: perWindow };
    const isTaken = window.left > 0;
    if (!isTaken) return refusal(tellsRetryAfter ? window.endsAt - now : undefined);
    window.left -= 1;
    return undefined;
  };
}

function refusal(retryAfterMs: number | undefined): Response {
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1_000);
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': `${seconds}` };
  return new Response('slow down', { status: 429, headers });
}

/** @returns the longest time that a list was not read for, in minutes, once two windows have passed. */
async function longestGap(quota: Quota, load: Load, minutes: number): Promise<number> {
  const { projects, concurrency } = load;
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  for (let n = 0; n < projects; n += 1) site.project(`p${n}`, 1 + n);
  await site.runFor(3);
  const lists = site.takeRequests().map(({ path }) => path);
  const readAt = new Map(lists.map((path) => [path, 0]));
  const limit = limiting(quota, Math.ceil(quota.perList * readAt.size));
  site.answerInstead = () => limit(site.clock.now());
  let longest = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    if (load.hasChanges && minute % 3 === 0)
      site.floorplan(`p${minute % projects}`, `f${minute % 7}`, 10 + minute);
    await site.runFor(1, [{ concurrency }]);
    for (const { path, status } of site.takeRequests())
      if (status === 200) readAt.set(path, minute);
    if (minute > 2 * quota.windowMinutes)
      longest = Math.max(longest, minute - Math.min(...readAt.values()));
  }
  return longest;
}

it('no list waits for much longer than a quota lasts that has room for six requests for each', async () => {
  // One request after the other: the lists that a window ends with were taken for limited alone.
  const quota = { windowMinutes: 60, perList: 6, tellsRetryAfter: false };
  const load = { projects: 1, concurrency: 1, hasChanges: true };
  expect(await longestGap(quota, load, 180)).toBeLessThanOrEqual(70);
});

it('a quota of a minute that begins anew in each run just after the list of projects was refused, which comes first, starves none', async () => {
  const quota = { windowMinutes: 1, perList: 0.8, tellsRetryAfter: false };
  const load = { projects: 5, concurrency: 1, hasChanges: false };
  // A list that starves has waited for as long as this by then.
  expect(await longestGap(quota, load, 120)).toBeLessThan(100);
});
