/**
 * Works on the jobs of a shard's lists in the time that polling leaves, one after the other.
 *
 * - Replays come first: they ask the service nothing, and are soon done.
 * - A reconcile reads its list whole, in one run. One that the end of a run cuts off opens the next run, and
 *   may take two thirds of it. After three tries it ends.
 * - Progress and outcome are saved in the feed. A conflict means that an operator has cancelled the job, or that
 *   others have written the feed: the next run reads it again.
 */
import { causeOf, healthOf, isRefusal } from '../feeds/health.ts';
import { FatalError, FeedConflictError, FeedError, RateLimitedError } from '../model/errors.ts';
import { isPolled, configuredResource, type Feed } from '../model/feed.ts';
import { hasJob, type Job, type JobResult } from '../model/job.ts';
import { isoTime } from '../model/timestamp.ts';
import { readAgain } from '../run/handle-failure.ts';
import type { RunContext } from '../run/run-context.ts';
import { reconcile } from './reconcile.ts';
import { replay } from './replay.ts';

/** Tries after which a reconcile ends. */
const MAX_TRIES = 3;

/** A feed with a job that is not over. */
type WithJob = Feed & { readonly job: Job };

/** The reason with which a job ends in a run whose time is up. */
class JobCutOffError extends Error {
  override readonly name = 'JobCutOffError';
}

/**
 * Works on jobs until a time.
 *
 * @param tried ids of lists that this run has tried to reconcile: none is tried twice.
 * @param onlyCutOff whether only those that the run before cut off are meant.
 * @throws FatalError when the run cannot continue.
 */
export async function workOnJobs(
  run: RunContext,
  until: number,
  tried: Set<string>,
  onlyCutOff = false,
): Promise<void> {
  const { clock } = run.ports;
  const ending = new AbortController();
  const done = new AbortController();
  void clock.sleep(until - clock.now(), done.signal).then(() => {
    ending.abort(new JobCutOffError('Jobs have no more time in this run'));
  });
  const signal = AbortSignal.any([run.stopping.signal, ending.signal]);
  const jobs = run.registry
    .all()
    .filter(hasJob)
    .filter(({ id, job }) => !tried.has(id) && (!onlyCutOff || job.isCutOff))
    .toSorted(byOrder);
  try {
    for (const { id } of jobs) {
      if (signal.aborted) return;
      // The feeds of a run may be a little old: a conflict would cost the whole job.
      await run.registry.reload(id);
      const feed = run.registry.get(id);
      if (!hasJob(feed)) continue;
      if (feed.job.name === 'reconcile') tried.add(id);
      await workOn(feed, run, signal);
    }
  } finally {
    done.abort();
  }
}

/** Replays first, then what was cut off, then by the ids of the lists. */
function byOrder(a: WithJob, b: WithJob): number {
  const rank = ({ job }: WithJob): number => (job.name === 'replay' ? 0 : job.isCutOff ? 1 : 2);
  return rank(a) - rank(b) || (a.id < b.id ? -1 : 1);
}

/** Works on one job, and saves what came of it. */
async function workOn(feed: WithJob, run: RunContext, signal: AbortSignal): Promise<void> {
  const { telemetry } = run.ports;
  const { id, job } = feed;
  try {
    if (job.name === 'replay') await replay(feed, run, signal);
    else await tryToReconcile(feed, run, signal);
  } catch (error) {
    if (error instanceof FatalError) throw error;
    if (error instanceof FeedConflictError) await readAgain(id, run);
    else if (!signal.aborted)
      telemetry.error('A job was interrupted; the next run goes on with it', error, {
        ...{ feed: id, job: job.name },
      });
  }
}

async function tryToReconcile(feed: WithJob, run: RunContext, signal: AbortSignal): Promise<void> {
  const resource = configuredResource(run.options.catalog, feed);
  if (run.health.outage(run.ports.clock.now()) !== undefined || run.isAllPaused) return;
  const isRead = feed.phase === 'live' && healthOf(feed) !== 'parked';
  if (resource === undefined || !isRead || !isPolled(run.options.catalog, feed)) {
    await finish(feed, { outcome: 'skipped' }, run);
    return;
  }
  const progress = { pageCount: 0 };
  try {
    const { cursor, ...result } = await reconcile({ feed, resource }, run, signal, progress);
    await finish(feed, result, run, cursor);
  } catch (error) {
    if (error instanceof FatalError || error instanceof FeedConflictError) throw error;
    await afterFailedTry(feed, error, run, signal, progress.pageCount > 0);
    const isOfList = error instanceof FeedError || error instanceof RateLimitedError;
    if (!isOfList) throw error;
  }
}

/** @param hasBegun whether anything was read: where requests are short, a try may have none left. */
async function afterFailedTry(
  feed: WithJob,
  error: unknown,
  run: RunContext,
  signal: AbortSignal,
  hasBegun: boolean,
): Promise<void> {
  const { job } = feed;
  const isCutOff = signal.aborted || error instanceof RateLimitedError;
  const tries = (job.tries ?? 0) + (hasBegun || !isCutOff ? 1 : 0);
  const isOver = tries >= MAX_TRIES || isRefusal(error);
  if (isOver) {
    const cause = isCutOff ? 'The list is too large to be read in one run.' : causeOf(error);
    await finish(feed, { outcome: 'incomplete', cause }, run);
    return;
  }
  const { isCutOff: _, ...rest } = job;
  await saveJob(feed, { ...rest, tries, ...(isCutOff && { isCutOff }) }, run);
}

/** Ends a job. */
async function finish(
  feed: WithJob,
  { outcome, counts, cause }: JobResult,
  run: RunContext,
  cursor?: { readonly at: Feed['cursor'] },
): Promise<void> {
  const { telemetry, clock } = run.ports;
  const { after: _, tries: __, isCutOff: ___, ...job } = feed.job;
  const finished: Job = {
    ...job,
    outcome,
    finishedAt: isoTime(clock.now()),
    ...(counts && { counts }),
    ...(cause !== undefined && { cause }),
  };
  await saveJob(feed, finished, run, cursor);
  if (job.name !== 'reconcile') return;
  const fields = { feed: feed.id, outcome, ...counts, ...(cause !== undefined && { cause }) };
  const isProblem = outcome === 'incomplete' || outcome === 'stopped';
  if (isProblem) telemetry.warn('A list was not reconciled', fields);
  else telemetry.info('A list was reconciled', fields);
  telemetry.count('ReconcileHealed', counts?.events ?? 0);
  telemetry.count('ReconcileListsFailed', isProblem ? 1 : 0);
}

/** Saves a job, unless it is no longer that of the feed. @param cursor where the list is polled from now on. */
async function saveJob(
  { id, job }: WithJob,
  next: Job,
  { registry }: RunContext,
  cursor?: { readonly at: Feed['cursor'] },
): Promise<void> {
  await registry.commit(id, (feed) => {
    if (feed.job?.id !== job.id) return feed;
    if (cursor === undefined) return { ...feed, job: next };
    const { cursor: _, digest: __, ...rest } = feed;
    return { ...rest, job: next, ...(cursor.at !== undefined && { cursor: cursor.at }) };
  });
}
