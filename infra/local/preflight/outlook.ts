import type { StageConfig } from '../../config/config.ts';

/** What a stage will do with its request budget. */
export interface Outlook {
  /** Lists that are polled: the projects, and those of each project. */
  readonly lists: number;
  /** Seconds between two polls of an idle list, at the best. */
  readonly turnSeconds: number;
  /** Requests a minute that keep `maxWaitSeconds` for each list. */
  readonly neededRequestsPerMinute: number;
  readonly maxWaitSeconds: number;
  /** Whether the budget keeps it. */
  readonly isEnough: boolean;
  /** An idle month in US dollars, between the sizes in README.md ("Costs"). */
  readonly idleMonthUsd: number;
}

/** Idle months by number of projects, as `docs/scaling.md` has them for the default request budget. */
export const IDLE_MONTHS: readonly (readonly [projects: number, usd: number])[] = [
  [10, 2],
  [100, 4],
  [1000, 7.5],
  [10_000, 11],
  [100_000, 40],
];

/** Calculates the outlook, see docs/scaling.md. */
export function outlookOf(
  { requestsPerMinute, everyMinutes, maxWaitSeconds }: StageConfig,
  projects: number,
  listsPerProject: number,
): Outlook {
  const lists = projects * listsPerProject + 1;
  const tickSeconds = everyMinutes * 60;
  const maxWait = maxWaitSeconds ?? Math.max(1800, 3 * tickSeconds);
  // Runs may start late: the last turn does not count. The list of projects takes one request of each.
  const turns = Math.max(1, Math.floor(maxWait / tickSeconds) - 1);
  const neededPerTurn = Math.ceil((lists - 1) / turns) + 1;
  const neededRequestsPerMinute = Math.ceil(neededPerTurn / everyMinutes);
  return {
    lists,
    turnSeconds: Math.max(1, Math.ceil(lists / (requestsPerMinute * everyMinutes))) * tickSeconds,
    neededRequestsPerMinute,
    maxWaitSeconds: maxWait,
    isEnough: requestsPerMinute >= neededRequestsPerMinute,
    idleMonthUsd: idleMonthUsd(projects),
  };
}

/** Between two known sizes the cost goes with the logarithm of the projects; beyond them it stays. */
function idleMonthUsd(projects: number): number {
  const [first] = IDLE_MONTHS;
  const after = IDLE_MONTHS.findIndex(([size]) => size >= projects);
  if (after === 0) return first?.[1] ?? 0;
  const [higher, lower] = [IDLE_MONTHS.at(after), IDLE_MONTHS.at(after - 1)];
  if (after === -1 || higher === undefined || lower === undefined) return higher?.[1] ?? 0;
  const share = Math.log(projects / lower[0]) / Math.log(higher[0] / lower[0]);
  return lower[1] + share * (higher[1] - lower[1]);
}
