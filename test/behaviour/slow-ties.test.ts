import { expect, it } from 'vitest';
import { PageTooSlowError } from '../../functions/core/model/errors.ts';
import { dueAt } from '../../functions/core/model/feed.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { entityAt, FEED, floorplansOf, liveSite } from '../support/site.ts';

const FLOORPLANS = floorplansOf('p');
const PAGING = { perPage: 32, lookbackMs: 0 };

it.each([0, 2])(
  'a tie is not stepped over at its first slow page, though %i polls failed before the list brought news',
  async (failedCount) => {
    const site = await liveSite();
    for (let n = 10; n < 110; n += 1) site.floorplan('p', `f${n}`, n);
    const tied = Array.from({ length: 100 }, (_, n) => `t${n}`);
    for (const id of tied) site.api.put(FLOORPLANS, entityAt(id, 200));
    /** Larger pages get no answer in time. */
    let fastPage = 0;
    const api: PartialApi = {
      async fetchPage(request, signal) {
        // The page before is committed by then.
        await settlePromises();
        if (request.path === FLOORPLANS && request.perPage > fastPage)
          throw new PageTooSlowError('no answer in time', { hint: 'Wait.' });
        return site.api.fetchPage(request, signal);
      },
    };
    const fastPages = [...Array<number>(failedCount).fill(0), 64, 1000, 1000];
    for (fastPage of fastPages) {
      await site.poll({ paging: PAGING }, { api });
      const until = dueAt((await site.feed(FEED)) ?? {});
      site.clock.advance(Math.max(60_000, until - site.clock.now()));
    }
    const told = new Set(site.takeEvents().map(({ partitionkey }) => partitionkey));
    expect(tied.filter((id) => !told.has(id))).toEqual([]);
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(0);
  },
);
