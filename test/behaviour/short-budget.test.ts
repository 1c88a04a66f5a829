import { expect, describe, it } from 'vitest';
import { RateLimitedError } from '../../functions/core/model/errors.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { change, jobsOf } from '../support/change.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { entityAt, floorplansOf, Site, type SiteOptions } from '../support/site.ts';

/** The service with a budget of this many requests a run. */
function withBudget(site: Site, perMinute: number): PartialApi {
  return {
    fetchPage: (request: PageRequest, signal) => site.api.fetchPage(request, signal),
    allowance: () => ({
      requests: Math.max(0, perMinute - site.api.requests.length),
      perMinute,
    }),
  };
}

/** The service that answers no further request once those of a run are spent. */
function withLimit(site: Site, perMinute: number): PartialApi {
  const budget = withBudget(site, perMinute);
  return {
    ...budget,
    fetchPage: (request, signal) => {
      if (site.api.requests.length < perMinute) return budget.fetchPage(request, signal);
      return Promise.reject(new RateLimitedError('no request is left', { hint: 'Wait.' }));
    },
  };
}

/** A caught-up site, so that each list has to wait for several runs of this many requests. */
async function siteOf(projects: number, options: SiteOptions = {}): Promise<Site> {
  const site: Site = new Site({ clock: () => site.clock.now(), ...options });
  for (let n = 0; n < projects; n += 1) site.project(`p${n}`, 3 + n);
  await site.poll();
  return site;
}

/** Runs with a budget, and returns the ids that were told of one list. */
async function tell(
  site: Site,
  {
    runs,
    perMinute,
    api = withBudget(site, perMinute),
    ...options
  }: Partial<RunOptions> & {
    readonly runs: number;
    readonly perMinute: number;
    readonly api?: PartialApi;
  },
): Promise<string[]> {
  site.takeEvents();
  for (let n = 0; n < runs; n += 1) {
    site.api.takePaths();
    await site.poll(options, { api });
    site.clock.advance(60_000);
  }
  return [...new Set(site.takeEvents().map(({ partitionkey }) => partitionkey))];
}

it('while requests are short, a reconcile has a third of them', async () => {
  const site = await siteOf(20);
  site.api.put(floorplansOf('p1'), entityAt('f', 100));
  await change(site, { command: 'reconcile', scope: { list: 'projects/p1/floorplans' } });
  await tell(site, { runs: 1, perMinute: 6, api: withLimit(site, 6) });
  expect((await jobsOf(site))['projects/p1/floorplans']).toMatchObject({ outcome: 'compared' });
});

describe('while requests are short, a list whose first page does not move its cursor', () => {
  it.each(['>', '>='] as const)(
    'is read on: a tie larger than a page, filter %s',
    async (filter) => {
      const site = await siteOf(6, { filter });
      for (const id of ['a', 'b', 'c']) site.floorplan('p1', id, 100);
      site.floorplan('p1', 'later', 200);
      const told = await tell(site, { runs: 12, perMinute: 6 });
      expect(told).toEqual(['a', 'b', 'c', 'later']);
    },
  );
});
