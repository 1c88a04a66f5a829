import { expect, it } from 'vitest';
import { CaseSite, PLANS } from './case-site.ts';
import { measureLimited } from './limited-service.ts';

it('The service takes ten requests a second, and has 161 lists: hardly any is refused, and events come within a minute', async () => {
  const { limitedP95, limitedRefused } = await measureLimited(20);
  expect(limitedRefused).toBeLessThanOrEqual(1);
  expect(limitedP95).toBeLessThanOrEqual(60);
});

it('161 lists are due at once: no minute has more requests than the budget, and after a 429 no second more than its share', async () => {
  let isRefusing = false;
  const site = new CaseSite({
    answer: (_, path) => {
      if (!isRefusing || path !== PLANS) return undefined;
      isRefusing = false;
      return new Response('', { status: 429, headers: { 'retry-after': '1' } });
    },
    config: { requestsPerMinute: 240 },
  });
  for (let n = 0; n < 79; n += 1) site.put('/projects', `p${n}`, { account_id: 7 });
  await site.poll(4);
  expect(mostWithin(60_000, site)).toBeLessThanOrEqual(240);
  isRefusing = true;
  await site.poll(2);
  site.service.requests.length = 0;
  await site.poll(4);
  expect(mostWithin(1_000, site)).toBeLessThanOrEqual(4);
});

it('A 429 names two resets, of which one is 0 for "not exceeded": nothing is asked before the later one', async () => {
  let until = 0;
  const site = new CaseSite({
    answer: (_, __, { time }) => {
      if (time.now >= until) return undefined;
      const reset = String(until / 1000);
      const headers = { 'ratelimit-reset': '0', 'x-ratelimit-reset': reset };
      return new Response('', { status: 429, headers });
    },
  });
  await site.poll(2);
  until = Math.floor(site.time.now / 1000) * 1000 + 20_000;
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll(2)).toEqual(['floorplan.updated f']);
  expect(site.service.requests.filter(({ status }) => status === 429).length).toBeLessThan(9);
});

/** The most requests that started within so many milliseconds. */
function mostWithin(milliseconds: number, { service }: CaseSite): number {
  const starts = service.requests.map(({ at }) => at);
  return Math.max(
    ...starts.map((from) => starts.filter((at) => at >= from && at < from + milliseconds).length),
  );
}
