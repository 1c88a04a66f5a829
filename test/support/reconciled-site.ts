import { expect } from 'vitest';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import {
  noCounts,
  sumCounts,
  type ReconcileReport,
} from '../../functions/core/model/reconcile-report.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { timeAt } from './list-service.ts';
import { floorplansOf, Site, type SiteOptions } from './site.ts';

export const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
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

/** Orders a reconciliation of all lists. */
export async function orderReconciliation(site: Site, fields: object = {}): Promise<void> {
  const command = { id: '1', name: 'reconcile', scope: {}, ...fields } as const;
  await site.store.saveCommands(PARTITIONS.map((partition) => ({ partition, command })));
}

/** Runs until the reconciliation is done. @returns its events, and what it reports. */
export async function runReconciliation(
  site: Site,
  fields: object = {},
  options: Partial<RunOptions> = {},
  ports: Partial<Ports> = {},
) {
  await orderReconciliation(site, fields);
  site.api.takePaths();
  for (let n = 0; n < 20 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
    await site.poll(options, ports);
    site.clock.advance(60_000);
  }
  const events = site.takeEvents();
  expect(events.every(({ cause }) => cause === 'reconcile')).toBe(true);
  const told = events.map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  return { events, told, ...(await reportOf(site)) };
}

/** The sum of all partitions' reports. */
export async function reportOf(site: Site): Promise<Pick<ReconcileReport, 'counts' | 'problems'>> {
  const { reports } = await site.store.loadShard(PARTITIONS);
  return {
    counts: reports.reduce((sum, { counts }) => sumCounts(sum, counts), noCounts()),
    problems: reports.flatMap(({ problems }) => problems),
  };
}
