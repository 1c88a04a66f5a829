import type { Feed } from '../core/model/feed.ts';
import { hasJob, sumCounts, type Job, type JobOutcome } from '../core/model/job.ts';
import { orderedAt } from './change-feeds.ts';
import type { JobProblem, JobsStatus } from './protocol.ts';

/** The most lists that the status names as problems. */
const MAX_PROBLEMS = 20;

type WithJob = Feed & { readonly job: Job };

/** Sums up the jobs of lists by their commands: those that go on, and the last of each kind. In the order of time. */
export function reportJobs(feeds: readonly Feed[]): JobsStatus[] {
  const withJob = feeds.filter((feed): feed is WithJob => feed.job !== undefined);
  const all = [...Map.groupBy(withJob, ({ job }) => job.id).values()]
    .map(describe)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const isLast = ({ id, command }: JobsStatus): boolean =>
    all.findLast((each) => each.command === command)?.id === id;
  return all.filter((each) => each.waiting > 0 || isLast(each));
}

function describe(lists: readonly WithJob[]): JobsStatus {
  const [first] = lists;
  if (first === undefined) throw new RangeError('a command has at least one job');
  const { id, name } = first.job;
  const outcomes: Partial<Record<JobOutcome, number>> = {};
  const problems: JobProblem[] = [];
  for (const { id: list, job } of lists) {
    const { outcome, cause } = job;
    if (outcome === undefined) continue;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (cause !== undefined && problems.length < MAX_PROBLEMS)
      problems.push({ list, outcome, cause });
  }
  return {
    id,
    command: name,
    startedAt: orderedAt(id),
    lists: lists.length,
    waiting: lists.filter(hasJob).length,
    outcomes,
    counts: sumCounts(lists.map(({ job }) => job.counts)),
    problems,
  };
}
