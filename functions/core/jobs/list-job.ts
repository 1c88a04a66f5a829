import type { CommitTarget } from '../commit/commit-context.ts';
import type { Feed } from '../model/feed.ts';
import type { Job } from '../model/job.ts';
import { isoTime } from '../model/timestamp.ts';
import type { RunContext } from '../run/run-context.ts';

/** A feed with a job that is not over. */
export type WithJob = Feed & { readonly job: Job };

/** A list that a run works on for its job. */
export interface ListJob extends CommitTarget {
  readonly feed: WithJob;
  readonly run: RunContext;
}

/**
 * Saves the progress of a job, in place of what was saved before.
 *
 * @param alter changes other fields of the feed.
 * @throws FeedConflictError when an operator has cancelled the job.
 */
export async function saveJob(
  { feed: { id, job }, run }: Pick<ListJob, 'feed' | 'run'>,
  progress: Partial<Job>,
  alter = (feed: Feed): Feed => feed,
): Promise<void> {
  const { after: _, tries: __, isCutOff: ___, counts: ____, ...order } = job;
  const finishedAt = progress.outcome && isoTime(run.ports.clock.now());
  const next: Job = { ...order, ...progress, ...(finishedAt && { finishedAt }) };
  await run.registry.commit(id, (feed) => ({ ...alter(feed), job: next }));
}
