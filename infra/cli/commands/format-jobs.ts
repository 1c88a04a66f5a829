import type { JobsStatus } from '../../../functions/control/protocol.ts';
import { countOf } from '../format.ts';

const INDENT = '  ';

/** Counts in words, in this order. */
const COUNTED = {
  events: 'events',
  entities: 'entities read',
  withoutContent: 'without content',
  hidden: 'that their list did not show',
  forbidden: 'not to be asked for',
} as const satisfies Record<keyof JobsStatus['counts'], string>;

/** What jobs came to, for people. */
export function formatJobs({ outcomes, counts, problems }: JobsStatus): string[] {
  const lists = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const found = describeCounts(counts);
  return [
    `Lists: ${lists.join(', ')}.${found === '' ? '' : ` ${found}.`}`,
    ...problems.map(({ list, outcome, cause }) => `${INDENT}${list} ${outcome}: ${cause}`),
  ];
}

/** How far jobs are, or what they came to, in one line. */
export function describeJobs({ lists, waiting, outcomes, counts }: JobsStatus): string {
  const done = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const parts = [
    waiting > 0 ? `${waiting} of ${countOf(lists, 'list')} left` : countOf(lists, 'list'),
    ...done,
    describeCounts(counts),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function describeCounts(counts: JobsStatus['counts']): string {
  const names = Object.keys(COUNTED) as (keyof typeof COUNTED)[];
  return names
    .flatMap((name) => (counts[name] ? `${counts[name]} ${COUNTED[name]}` : []))
    .join(', ');
}
