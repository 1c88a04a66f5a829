/**
 * Compares a whole list with the mirror, and publishes the differences. It finds the changes that
 * polling misses: limits 4 and 5 of docs/guarantees.md.
 *
 * - The list is read from its start, in one run. Each page is compared, published and saved as in a
 *   poll. Nested lists are compared even if they look as before.
 * - Known entities that were not shown are asked for by their ids: 404 deletes them.
 * - The cursor moves at the end alone, to where this reading has come. This also replaces a cursor
 *   that the service rejects.
 */
import { observePage } from '../changes/observe.ts';
import { identityOf, placeOf } from '../changes/place.ts';
import { commitEntities, commitMissing } from '../commit/commit-entities.ts';
import { reportSaturated } from '../commit/commit-page.ts';
import { loadStates } from '../commit/publish.ts';
import { FeedReader, type FeedPage } from '../lists/read-feed.ts';
import { chunksOf } from '../model/chunks.ts';
import { entityKey, idIn, type EntityKey } from '../model/entity-state.ts';
import { validIdOf } from '../model/entity.ts';
import type { Feed } from '../model/feed.ts';
import { sumCounts, type JobCounts, type JobResult } from '../model/job.ts';
import { omitFields } from '../model/json/omit-fields.ts';
import { earlierOf, isAfter, isoTime, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { RunContext } from '../run/run-context.ts';
import { askFor } from './ask-missing.ts';
import type { ListJob } from './list-job.ts';

/** The outcome of a reconcile, and how its list is polled from then on. */
export type Reconciled = JobResult & Pick<FeedPage, 'cursor' | 'size'>;

/** The entities that a list has shown, and where its polls go on. */
interface Shown extends Pick<FeedPage, 'beganAt' | 'cursor' | 'size'> {
  readonly keys: ReadonlySet<EntityKey>;
  /** An entity that is not deleted, if there is one. */
  readonly liveId: string | undefined;
}

/** @throws the error that kept the list from being read, or its entities from being asked for. */
export async function reconcile(list: ListJob, signal: AbortSignal): Promise<Reconciled> {
  const { feed, run } = list;
  const publishedBefore = publishedCount(run);
  const shown = await commitWhole(list, signal);
  const { missing, knownCount } = await findMissing(shown, list);
  const isTooMuch = missing.length > run.options.maxMissingShare * knownCount;
  const isStopped = isTooMuch && feed.job.force !== true;
  const asked = isStopped ? {} : await settleMissing(missing, shown, list, signal);
  const events = publishedCount(run) - publishedBefore;
  const counts = sumCounts([asked, { entities: shown.keys.size, events }]);
  const result = { cursor: shown.cursor, size: shown.size, counts };
  if (isStopped) {
    const cause = `${missing.length} of ${knownCount} known entities are missing from it at once.`;
    return { ...result, outcome: 'stopped', cause };
  }
  if (shown.size.saturatedAt === undefined) return { ...result, outcome: 'compared' };
  const cause = 'More entities share a timestamp than the largest page holds.';
  return { ...result, outcome: 'incomplete', cause };
}

/** Reads the list from its start, and commits each page. */
async function commitWhole(list: ListJob, signal: AbortSignal): Promise<Shown> {
  const { feed, resource, run } = list;
  const reader = new FeedReader(resource, neverRead(feed), run.lists);
  const keys = new Set<EntityKey>();
  let liveId: string | undefined;
  for (;;) {
    const feedPage = await reader.next(signal);
    const { page, beganAt, cursor, size } = feedPage;
    run.health.noteRead(feed.id);
    run.summary.pages += 1;
    reportSaturated(feed, feedPage, run.ports.telemetry);
    await commitShown(page, settledBefore(beganAt, list), list);
    for (const id of idsOn(page)) keys.add(entityKey(resource.entity, id));
    liveId ??= validIdOf(page.entities.find(({ deleted_at }) => !deleted_at));
    if (feedPage.isLast) return { keys, liveId, beganAt, cursor, size };
  }
}

/** The feed as if nothing of its list was read. */
export function neverRead({ cursor: _, digest: __, ...feed }: Feed): Feed {
  return feed;
}

/** Commits shown entities. A parent that is not older counts as newer. */
async function commitShown(
  page: Pick<Page, 'entities' | 'invalid'>,
  settledAt: Timestamp,
  list: ListJob,
): Promise<void> {
  const { feed, resource, run } = list;
  const inferredRestoreAt = isoTime(run.ports.clock.now());
  const place = { ...placeOf(feed, resource), inferredRestoreAt, settledAt };
  await commitEntities(observePage(page, place, resource), list);
}

/** Later changes are left to the next reconcile: a copy of the service may lag. */
function settledBefore(beganAt: Timestamp, list: ListJob): Timestamp {
  const { lookbackMs } = list.run.options.paging;
  return shiftTimestamp(earlierOf(beganAt, list.beganAt), -lookbackMs);
}

/** Ids of all entities on a page, invalid ones included: these are not missing either. */
function idsOn({ entities, invalid }: Page): string[] {
  const values = [...entities, ...invalid.map(({ value }) => value)];
  return values.flatMap((value) => validIdOf(value) ?? []);
}

/** The known entities that the list has not shown. */
async function findMissing(
  { keys, beganAt }: Shown,
  list: ListJob,
): Promise<{ readonly missing: readonly EntityKey[]; readonly knownCount: number }> {
  const { feed, resource, run } = list;
  const settledAt = settledBefore(beganAt, list);
  const missing: EntityKey[] = [];
  let knownCount = 0;
  for await (const versions of run.ports.store.liveVersions(feed.id, `${resource.entity}#`)) {
    knownCount += versions.length;
    for (const { key, version } of versions)
      if (!keys.has(key) && !isAfter(version, settledAt)) missing.push(key);
  }
  return { missing, knownCount };
}

/** Asks for missing entities, and commits the answers. */
async function settleMissing(
  missing: readonly EntityKey[],
  { liveId, beganAt }: Shown,
  list: ListJob,
  signal: AbortSignal,
): Promise<JobCounts> {
  const { feed, resource, run } = list;
  await publishUnpublished(list);
  const place = placeOf(feed, resource);
  let counts: JobCounts = {};
  for (const keys of chunksOf(missing, run.options.concurrency)) {
    const { found, gone, forbiddenCount } = await askFor(keys, liveId, list, signal);
    const hidden = omitFields({ entities: found, invalid: [] }, resource);
    await commitShown(hidden, settledBefore(beganAt, list), list);
    const inferredDeleteAt = isoTime(run.ports.clock.now());
    const deleted = gone.map((key) => ({ place, id: idIn(key), key, inferredDeleteAt }));
    await commitMissing(deleted, list);
    counts = sumCounts([counts, { hidden: found.length, forbidden: forbiddenCount }]);
  }
  return counts;
}

/** Publishes the nested items that are saved as unpublished: no parent may show them. */
async function publishUnpublished(list: ListJob): Promise<void> {
  const { feed, resource, run } = list;
  for (const { entity } of resource.nested ?? []) {
    for await (const items of run.ports.store.liveVersions(feed.id, `${entity}#`)) {
      const unpublished = items.filter(({ isUnpublished }) => isUnpublished);
      const identities = unpublished.flatMap(({ key }) => identityOf(key, feed, resource) ?? []);
      await loadStates(identities, list);
    }
  }
}

/** Events of this run until now: while a job is worked on, nothing else publishes. */
function publishedCount({ summary }: RunContext): number {
  return Object.values(summary.events).reduce((sum, count) => sum + count, 0);
}
