import { expect, it } from 'vitest';
import { SiteBehindHttp, type AnsweredRequest } from '../support/site-behind-http.ts';
import { floorplansOf } from '../support/site.ts';

const isRead = ({ status }: AnsweredRequest) => status === 200;

/** A caught-up site with so many projects. */
async function siteOf(projects: number): Promise<SiteBehindHttp> {
  const site = new SiteBehindHttp({ requestsPerMinute: 500 });
  for (let n = 0; n < projects; n += 1) site.project(`p${n}`, 1 + n);
  await site.runFor(3);
  site.takeRequests();
  return site;
}

function refusal(headers: Record<string, string>): Response {
  return new Response('slow down', { status: 429, headers });
}

it('a 429 pauses all requests of all runs until the service allows more', async () => {
  const site = await siteOf(3);
  let isRefused = false;
  site.answerInstead = (path) => {
    if (isRefused || path !== floorplansOf('p1')) return undefined;
    isRefused = true;
    return refusal({ 'Retry-After': '170' });
  };
  await site.runFor(1);
  expect(site.takeRequests().filter(({ status }) => status === 429)).toHaveLength(1);
  await site.runFor(2);
  expect(site.takeRequests()).toEqual([]);
  await site.runFor(2);
  expect(new Set(site.takeRequests().map(({ path }) => path)).size).toBe(7);
  expect(await site.feed('projects/p1/floorplans')).not.toHaveProperty('wait');
});

it('a service that counts by the second refuses few requests, and all lists are read each minute', async () => {
  const site = await siteOf(80);
  let hits: number[] = [];
  site.answerInstead = () => {
    const now = site.clock.now();
    hits = [...hits.filter((time) => time > now - 1_000), now];
    if (hits.length <= 10) return undefined;
    return refusal({ 'X-RateLimit-Reset': String(Math.floor(now / 1_000) + 1) });
  };
  await site.runFor(3);
  site.takeRequests();
  for (let minute = 0; minute < 10; minute += 1) {
    await site.runFor(1);
    const requests = site.takeRequests();
    const read = requests.filter(isRead);
    expect(new Set(read.map(({ path }) => path)).size).toBe(161);
    expect(read.length).toBe(requests.length);
  }
});
