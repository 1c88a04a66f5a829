import { expect, it } from 'vitest';
import { ServiceError, PageTooSlowError } from '../../functions/core/model/errors.ts';
import { dueAt } from '../../functions/core/model/feed.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { FEED, floorplansOf, liveSite, type Site } from '../support/site.ts';

const hint = 'Wait.';
const HOUR_MS = 3_600_000;

interface Busy {
  readonly busyMs: number;
  /** A page of more entities takes longer than an attempt may. */
  readonly fastPage: number;
  /** What it answers to other requests for its list meanwhile. */
  readonly answer: () => Error;
}

/** A service that goes on with a page that was too slow when nobody waits any more. */
function busyApi(site: Site, { busyMs, fastPage, answer }: Busy): PartialApi {
  let busyUntil = -Infinity;
  return {
    async fetchPage(request, signal) {
      await settlePromises();
      if (request.path !== floorplansOf('p')) return site.api.fetchPage(request, signal);
      if (site.clock.now() < busyUntil) throw answer();
      if (request.perPage > fastPage) {
        busyUntil = site.clock.now() + busyMs;
        throw new PageTooSlowError('no answer in time', { hint });
      }
      return site.api.fetchPage(request, signal);
    },
  };
}

/** Polls whenever the list is due. */
async function pollFor(site: Site, api: PartialApi, hours: number, perPage: number): Promise<void> {
  const endsAt = site.clock.now() + hours * HOUR_MS;
  while (site.clock.now() < endsAt) {
    await site.poll({ paging: { perPage, lookbackMs: 0 } }, { api });
    const until = dueAt((await site.feed(FEED)) ?? {});
    site.clock.advance(Math.max(60_000, until - site.clock.now()));
  }
}

const unavailable = (): Error => new ServiceError('busy', { status: 503, hint });

it.each<[string, Busy['answer']]>([['503', unavailable]])(
  'a list whose usual page is too slow is read, though the service, busy with it, answers %s for a while',
  async (_, answer) => {
    const site = await liveSite();
    site.floorplans('p', 10, 110);
    await pollFor(site, busyApi(site, { busyMs: 20_000, fastPage: 16, answer }), 2, 32);
    expect(site.takeEvents()).toHaveLength(100);
  },
);
