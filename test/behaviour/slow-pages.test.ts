import { expect, it } from 'vitest';
import {
  PageTooSlowError,
  RateLimitedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { FEED, floorplansOf, liveSite } from '../support/site.ts';

it.each([503, 429])(
  'a list whose usual page is too slow is read, though the service, busy with it, answers %i for a while',
  async (status) => {
    const site = await liveSite();
    site.floorplans('p', 10, 110);
    // The service goes on with a query for which nobody waits any more.
    let busyUntil = -Infinity;
    const api: ServiceApi = {
      async fetchPage(request, signal) {
        await settlePromises();
        if (request.path !== floorplansOf('p')) return site.api.fetchPage(request, signal);
        const hint = 'Wait.';
        if (site.clock.now() < busyUntil) {
          if (status === 503 || request.hasOwnLimit === true)
            throw new ServiceError('busy', { status, hint });
          throw new RateLimitedError('busy', { hint, isAnswer: true });
        }
        if (request.perPage > 16) {
          busyUntil = site.clock.now() + 20_000;
          throw new PageTooSlowError('no answer in time', { hint });
        }
        return site.api.fetchPage(request, signal);
      },
    };
    for (let n = 0; n < 20; n += 1) {
      await site.poll({ paging: { perPage: 32, lookbackMs: 0 } }, { api });
      const { notBefore = 0 } = (await site.feed(FEED)) ?? {};
      site.clock.advance(Math.max(60_000, notBefore - site.clock.now()));
    }
    expect(site.takeEvents()).toHaveLength(100);
  },
);
