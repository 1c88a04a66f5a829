/**
 * Works on the jobs of a shard's lists in the time that polling leaves, one after the other.
 *
 * - Replays come first: they send no request to the service, and are soon done.
 * - A reconcile reads its list whole, in one run. One that the end of a run cuts off opens the next
 *   run, and may take two thirds of it. It ends after three tries, or when it is refused.
 * - In an outage a run tries one reconcile: it also replaces a cursor that the service rejects.
 * - A reconcile starts only while the budget has a request left: polls keep their share.
 * - What fails a run in a poll, such as topic or table, fails it in a job.
 * - Progress and outcome are saved in the feed. A conflict means that an operator has cancelled the
 *   job, or that others have written the feed: the next run reads it again.
 */
import type { FeedRegistry } from '../feeds/feed-registry.ts';
import { causeOf, isRefusal } from '../feeds/health.ts';
import { sizeAfterFailure } from '../lists/page-size.ts';
import { FatalError, FeedConflictError, FeedError, RateLimitedError } from '../model/errors.ts';
import { configuredResource, type Feed } from '../model/feed.ts';
import { hasJob, type JobResult } from '../model/job.ts';
import { isoTime } from '../model/timestamp.ts';
import { readAgain } from '../run/handle-failure.ts';
import type { RunContext } from '../run/run-context.ts';
import { saveJob, type ListJob, type WithJob } from './list-job.ts';
import { neverRead, reconcile } from './reconcile.ts';
import { replay } from './replay.ts';

/** Tries after which a reconcile ends. */
const MAX_TRIES = 3;
const NOT_POLLED = 'It is not polled.';

/**
 * Works on the jobs of these lists.
 *
 * @returns the errors that the run fails with.
 * @throws FatalError when the run cannot continue.
 */
export async function workOnJobs(
  feeds: readonly WithJob[],
  run: RunContext,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { api, clock } = run.ports;
  const failures: unknown[] = [];
  let isTried = false;
  for (const { id, job } of feeds.toSorted(byOrder)) {
    if (signal.aborted) break;
    const isReconcile = job.name === 'reconcile';
    if (isReconcile && api.allowance(run.time.leftMs()).requests === 0) break;
    if (isTried && run.health.outage(clock.now()) !== undefined) break;
    isTried = isReconcile;
    // The feeds of a run may be a little old: a conflict would cost the whole job.
    await run.registry.reload(id);
    const feed = run.registry.get(id);
    if (hasJob(feed)) failures.push(...(await workOn(feed, run, signal)));
  }
  return failures;
}

/** Replays first. */
function byOrder(a: WithJob, b: WithJob): number {
  const rank = ({ job }: WithJob): number => (job.name === 'replay' ? 0 : 1);
  return rank(a) - rank(b);
}

/** Works on one job, and saves its outcome. @returns the errors that the run fails with. */
async function workOn(
  feed: WithJob,
  run: RunContext,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { telemetry, clock } = run.ports;
  const { id, job } = feed;
  const resource = configuredResource(run.options.catalog, feed);
  try {
    if (resource === undefined) {
      await saveJob({ feed, run }, { outcome: 'skipped', cause: NOT_POLLED });
      return [];
    }
    const list = { run, feed, resource, beganAt: isoTime(clock.now()), cause: job.name };
    await (job.name === 'replay' ? replay(list, signal) : tryToReconcile(list, signal));
    return [];
  } catch (error) {
    if (error instanceof FatalError) throw error;
    if (error instanceof FeedConflictError) return readAgain(id, run);
    const fields = { feed: id, job: job.name };
    telemetry.error('A job was interrupted; the next run goes on with it', error, fields);
    return [error];
  }
}

async function tryToReconcile(list: ListJob, signal: AbortSignal): Promise<void> {
  const { feed, run } = list;
  const { registry } = run;
  if (registry.isAllPaused) return;
  const obstacle = obstacleTo(feed, registry);
  if (obstacle !== undefined) {
    await saveJob(list, { outcome: 'skipped', cause: obstacle });
    return;
  }
  try {
    const { cursor, size, ...result } = await reconcile(list, signal);
    await finish(list, result, (current) => {
      const { pageSize: _, saturatedAt: __, ...read } = neverRead(current);
      return { ...read, ...(cursor && { cursor }), ...size };
    });
  } catch (error) {
    if (error instanceof FatalError || error instanceof FeedConflictError) throw error;
    const isCutOff = signal.aborted || error instanceof RateLimitedError;
    await afterFailedTry(list, error, (feed.job.tries ?? 0) + 1, isCutOff);
    if (!isCutOff && !(error instanceof FeedError)) throw error;
  }
}

/** Why a list is not to be reconciled, if so. */
function obstacleTo(feed: Feed, registry: FeedRegistry): string | undefined {
  if (feed.paused) return 'It is paused.';
  if (feed.parked) return 'Its project is deleted.';
  if (registry.polledResource(feed.id) === undefined) return NOT_POLLED;
  return feed.phase === 'live' ? undefined : 'Its first pass is not over.';
}

async function afterFailedTry(
  list: ListJob,
  error: unknown,
  tries: number,
  isCutOff: boolean,
): Promise<void> {
  if (tries < MAX_TRIES && !isRefusal(error)) {
    const progress = { tries, ...(isCutOff && { isCutOff }) };
    await saveJob(list, progress, (feed) => sizeAfterFailure(feed, error));
    return;
  }
  const cause = isCutOff ? 'The list is too large to be read in one run.' : causeOf(error);
  await finish(list, { outcome: 'incomplete', cause });
}

/** Ends a reconcile, and reports its outcome. */
async function finish(
  list: ListJob,
  result: JobResult,
  alter?: (feed: Feed) => Feed,
): Promise<void> {
  const { telemetry } = list.run.ports;
  const { outcome, counts, cause } = result;
  await saveJob(list, result, alter);
  const fields = { feed: list.feed.id, outcome, ...counts, ...(cause && { cause }) };
  const isProblem = outcome !== 'compared';
  if (isProblem) telemetry.warn('A list was not reconciled', fields);
  else telemetry.info('A list was reconciled', fields);
  telemetry.count('ReconcileHealed', counts?.events ?? 0);
  telemetry.count('ReconcileListsFailed', isProblem ? 1 : 0);
}
