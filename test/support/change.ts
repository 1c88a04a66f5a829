import { changeFeeds } from '../../functions/control/change-feeds.ts';
import type { ChangeRequest } from '../../functions/control/protocol.ts';
import { feedsInScope } from '../../functions/control/scope.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { hasJob, type Job } from '../../functions/core/model/job.ts';
import type { Clock } from '../../functions/core/ports/clock.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import type { MemoryStore } from './memory-store.ts';

/** What the control function and the runs share. */
interface Site {
  readonly store: MemoryStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly options: Pick<RunOptions, 'catalog'>;
}

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** Changes lists as the control function does. */
export async function change(site: Site, ...requests: readonly ChangeRequest[]): Promise<void> {
  for (const request of requests) {
    const feeds = await site.store.loadFeeds(ALL_PARTITIONS);
    const inScope = feedsInScope(feeds, site.options.catalog, request.scope);
    const { store, clock } = site;
    await changeFeeds(request, inScope, { store, now: () => clock.now() });
  }
}

/** Whether a list has a job that is not over. */
export async function isAtWork(site: Site): Promise<boolean> {
  return (await site.store.loadFeeds(ALL_PARTITIONS)).some(hasJob);
}

/** The jobs of all lists, by list. */
export async function jobsOf(site: Site): Promise<Readonly<Record<string, Job>>> {
  const feeds = await site.store.loadFeeds(ALL_PARTITIONS);
  return Object.fromEntries(feeds.flatMap(({ id, job }) => (job ? [[id, job]] : [])));
}
