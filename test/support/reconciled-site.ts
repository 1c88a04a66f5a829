import { expect } from 'vitest';
import type { ChangeRequest } from '../../functions/control/protocol.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { change, isAtWork, jobsOf } from './change.ts';
import type { PartialPorts } from './complete-api.ts';
import { timeAt } from './list-service.ts';
import { FEED, floorplansOf, Site, type SiteOptions } from './site.ts';

export const FLOORPLANS = floorplansOf('p');

/** A site whose project has `count` floorplans, all long known, and a caught-up notifier. */
export async function knownSite(count = 4, options: SiteOptions = {}): Promise<Site> {
  const site = new Site({ clock: () => Date.parse(timeAt(1000)), ...options });
  site.project('p', 1);
  site.floorplans('p', 2, 2 + count);
  await site.poll();
  await site.catchUp();
  return site;
}

type Reconcile = Extract<ChangeRequest, { readonly command: 'reconcile' }>;

/** Reconciles all lists, to the end. @returns its events, and what it came to. */
export async function reconcile(
  site: Site,
  fields: Partial<Reconcile> = {},
  options: Partial<RunOptions> = {},
  ports: PartialPorts = {},
) {
  await change(site, { command: 'reconcile', scope: {}, ...fields });
  site.api.takePaths();
  for (let n = 0; n < 20 && (await isAtWork(site)); n += 1) {
    await site.poll(options, ports);
    site.clock.advance(60_000);
  }
  const events = site.takeEvents();
  expect(events.every(({ cause }) => cause === 'reconcile')).toBe(true);
  const published = events.map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  const jobs = await jobsOf(site);
  return { events, published, jobs, job: jobs[FEED] ?? { name: 'reconcile', id: 'none' } };
}
