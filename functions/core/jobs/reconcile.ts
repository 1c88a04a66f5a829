/**
 * Compares a whole list with the mirror, and publishes what differs.
 *
 * - The list is read from its start, in one run, through the normal commit of a page. Nested lists are compared
 *   even if they look as before.
 * - Known entities that were not shown are asked for one by one, see `ask-missing.ts`.
 * - The cursor moves at the end alone, to where this reading has come. That also heals a cursor that the service
 *   takes no more.
 */
import { reportSaturated } from '../commit/commit-page.ts';
import { loadStates } from '../commit/publish.ts';
import { FeedReader, type FeedPage } from '../lists/read-feed.ts';
import type { Action } from '../model/change.ts';
import { entityKey, type EntityKey } from '../model/entity-state.ts';
import { validIdOf } from '../model/entity.ts';
import type { Feed } from '../model/feed.ts';
import { sumCounts, type JobCounts, type JobResult } from '../model/job.ts';
import { isAfter, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { RunContext } from '../run/run-context.ts';
import { askForMissing } from './ask-missing.ts';
import { commitShown, targetOf, type ReconciledList, type WholeList } from './reconciled-list.ts';
import { identityOf } from './replay.ts';

/** How far a reconcile came. */
export interface ReconcileProgress {
  pageCount: number;
}

/** What a reconcile came to, and where its list is polled from then on. */
export type Reconciled = JobResult & { readonly cursor: { readonly at: Timestamp | undefined } };

/** @throws the error that kept the list from being read whole, or its entities from being asked for. */
export async function reconcile(
  list: ReconciledList,
  run: RunContext,
  signal: AbortSignal,
  progress: ReconcileProgress,
): Promise<Reconciled> {
  const before = publishedCount(run);
  const whole = await readWhole(list, run, signal, progress);
  const { missing, knownCount } = await findMissing(list, whole, run);
  const cursor = { at: whole.cursor };
  const counted = (counts: JobCounts): JobCounts =>
    sumCounts([counts, { entities: whole.shown.size, events: publishedCount(run) - before }]);
  const isTooMuch = missing.length > run.options.maxMissingShare * knownCount;
  if (missing.length > 0 && isTooMuch && list.feed.job.force !== true) {
    const cause = `${missing.length} of ${knownCount} known entities are missing from it at once.`;
    return { outcome: 'stopped', cause, cursor, counts: counted({}) };
  }
  await publishUnpublished(list, whole, run);
  const asked = await askForMissing(missing, list, whole, run, signal);
  if (!whole.isSaturated) return { outcome: 'compared', cursor, counts: counted(asked) };
  const cause = 'More entities share a timestamp than the largest page holds.';
  return { outcome: 'incomplete', cause, cursor, counts: counted(asked) };
}

async function readWhole(
  list: ReconciledList,
  run: RunContext,
  signal: AbortSignal,
  progress: ReconcileProgress,
): Promise<WholeList> {
  const { feed, resource } = list;
  const reader = new FeedReader(resource, neverRead(feed), run.paging);
  const shown = new Set<EntityKey>();
  let validId: string | undefined;
  let isSaturated = false;
  let feedPage: FeedPage;
  do {
    feedPage = await reader.next(signal);
    const { page, beganAt } = feedPage;
    run.health.noteRead(feed.id);
    progress.pageCount += 1;
    await commitShown(page, list, beganAt, run);
    reportSaturated(feed, feedPage, run.ports.telemetry);
    isSaturated ||= feedPage.saturated !== undefined;
    for (const id of idsOn(page)) shown.add(entityKey(resource.entity, id));
    validId ??= validIdOf(page.entities.find(({ deleted_at }) => !deleted_at));
  } while (!feedPage.isLast);
  const { beganAt, cursor } = feedPage;
  return { shown, validId, beganAt, cursor, isSaturated };
}

/** Ids of all that a page shows: an invalid entity is not missing. */
function idsOn({ entities, invalid }: Page): string[] {
  const values = [...entities, ...invalid.map(({ value }) => value)];
  return values.flatMap((value) => validIdOf(value) ?? []);
}

/** The feed as if nothing of its list was read. */
function neverRead({ cursor: _, digest: __, ...feed }: Feed): Feed {
  return feed;
}

/**
 * The known entities that the list has not shown. Those that changed within the lookback are left to the next time:
 * a copy of the service may not know them yet.
 */
async function findMissing(
  { feed, resource }: ReconciledList,
  { shown, beganAt }: WholeList,
  run: RunContext,
): Promise<{ readonly missing: readonly EntityKey[]; readonly knownCount: number }> {
  const settledAt = shiftTimestamp(beganAt, -run.options.paging.lookbackMs);
  const missing: EntityKey[] = [];
  let knownCount = 0;
  for await (const versions of run.ports.store.liveVersions(feed.id, `${resource.entity}#`)) {
    knownCount += versions.length;
    for (const { key, version } of versions)
      if (!shown.has(key) && !isAfter(version, settledAt)) missing.push(key);
  }
  return { missing, knownCount };
}

/** Publishes the nested items that a run before has saved as unpublished: their parents may not be shown. */
async function publishUnpublished(
  list: ReconciledList,
  { beganAt }: WholeList,
  run: RunContext,
): Promise<void> {
  const { feed, resource } = list;
  for (const { entity } of resource.nested ?? []) {
    for await (const items of run.ports.store.liveVersions(feed.id, `${entity}#`)) {
      const unpublished = items.filter(({ isUnpublished }) => isUnpublished);
      const identities = unpublished.flatMap(({ key }) => identityOf(key, feed, resource) ?? []);
      await loadStates(identities, targetOf(list, beganAt, run));
    }
  }
}

/** Events of this run until now: while a job is worked on, nothing else publishes. */
function publishedCount({ summary }: RunContext): number {
  return Object.values<number>(summary.events satisfies Record<Action, number>).reduce(
    (sum, count) => sum + count,
    0,
  );
}
