import type { Feed } from '../core/model/feed.ts';
import { hasJob, sumCounts, type Job, type JobOutcome } from '../core/model/job.ts';
import { orderedAt } from './change-feeds.ts';
import type { JobsStatus } from './protocol.ts';

/** The most lists that the status names as problems. */
const MAX_PROBLEMS = 20;

/** Sums up jobs by their commands: those that go on, and the last of each kind. In order of time. */
export function reportJobs(feeds: readonly Feed[]): JobsStatus[] {
  const jobs = feeds.flatMap(({ id, job }) => (job ? [{ list: id, job }] : []));
  const all = Array.from(
    Map.groupBy(jobs, ({ job }) => job.id),
    ([id, some]) => sumUp(id, some),
  ).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const last = new Map(all.map((each) => [each.command, each]));
  return all.filter((each) => each.waiting > 0 || last.get(each.command) === each);
}

interface ListJob {
  readonly list: string;
  readonly job: Job;
}

function sumUp(id: string, lists: readonly ListJob[]): JobsStatus {
  const outcomes: Partial<Record<JobOutcome, number>> = {};
  for (const { job } of lists) {
    if (job.outcome) outcomes[job.outcome] = (outcomes[job.outcome] ?? 0) + 1;
  }
  const problems = lists.flatMap(({ list, job: { outcome, cause } }) =>
    outcome === undefined || cause === undefined ? [] : [{ list, outcome, cause }],
  );
  return {
    id,
    command: lists[0]?.job.name ?? 'reconcile',
    startedAt: orderedAt(id),
    lists: lists.length,
    waiting: lists.filter(hasJob).length,
    outcomes,
    counts: sumCounts(lists.map(({ job }) => job.counts)),
    problems: problems.slice(0, MAX_PROBLEMS),
  };
}
