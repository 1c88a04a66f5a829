import type { JobsStatus } from '../../../functions/control/protocol.ts';
import { countOf } from '../format.ts';

/** Counts in words, in this order. */
const COUNTED = {
  events: 'events',
  entities: 'entities read',
  withoutContent: 'without content',
  hidden: 'that their list did not show',
  forbidden: 'not to be asked for',
} as const satisfies Record<keyof JobsStatus['counts'], string>;

/** What jobs came to, with the lists that were not done. */
export function formatJobs(jobs: JobsStatus): string[] {
  const problems = jobs.problems.map(
    ({ list, outcome, cause }) => `  ${list} ${outcome}: ${cause}`,
  );
  return [`Done: ${describeJobs(jobs)}.`, ...problems];
}

/** How far jobs are, or what they came to, in one line. */
export function describeJobs({ lists, waiting, outcomes, counts }: JobsStatus): string {
  const names = Object.keys(COUNTED) as (keyof typeof COUNTED)[];
  return [
    waiting > 0 ? `${waiting} of ${countOf(lists, 'list')} left` : countOf(lists, 'list'),
    ...Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`),
    ...names.flatMap((name) => (counts[name] ? `${counts[name]} ${COUNTED[name]}` : [])),
  ].join(', ');
}
