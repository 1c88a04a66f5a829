import { expect, it } from 'vitest';
import { PageTooSlowError } from '../../functions/core/model/errors.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import { replaceCall } from '../support/intercept.ts';
import { FEED, floorplansOf, liveSite } from '../support/site.ts';

const LIST = floorplansOf('p');

/** A live list, polled each minute, of which the service answers some pages with 504. */
async function slowSite() {
  const site = await liveSite();
  const poll = async (perPage: number, minutes: number, isSlow: (perPage: number) => boolean) => {
    const api = replaceCall(site.api, 'fetchPage', ({ parameters, proceed }) => {
      const [request] = parameters as [PageRequest];
      return request.path === LIST && isSlow(request.perPage)
        ? Promise.reject(new PageTooSlowError('504', { status: 504, hint: 'Wait.' }))
        : proceed();
    });
    for (let minute = 0; minute < minutes; minute += 1) {
      await site.poll({ paging: { perPage, lookbackMs: 0 } }, { api });
      site.clock.advance(60_000);
    }
  };
  const bulkUpdate = (): void => {
    for (let n = 0; n < 300; n += 1) site.floorplan('p', `bulk${n}`, 20);
    site.floorplan('p', 'later', 30);
  };
  return { site, poll, bulkUpdate };
}

it('two time-outs in a row, the first of them in a tie, skip nothing', async () => {
  const { site, poll, bulkUpdate } = await slowSite();
  bulkUpdate();
  let failures = 0;
  await poll(100, 3, (perPage) => (perPage > 100 || failures === 1) && (failures += 1) <= 2);
  await poll(100, 6, () => false);
  expect(new Set(site.takeEvents().map(({ partitionkey }) => partitionkey)).size).toBe(301);
});

it('a list that delivers only pages smaller than its tie steps over it, and says so', async () => {
  const { site, poll, bulkUpdate } = await slowSite();
  bulkUpdate();
  await poll(100, 60, (perPage) => perPage > 100);
  expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toContain('later');
  expect(await site.feed(FEED)).toHaveProperty('saturatedAt');
});

it('a quiet list has pages of the usual size again soon after an outage', async () => {
  const { site, poll } = await slowSite();
  await poll(1000, 60, () => true);
  expect(await site.feed(FEED)).toMatchObject({ pageSize: 1 });
  await poll(1000, 20, () => false);
  expect(await site.feed(FEED)).not.toHaveProperty('pageSize');
});
