import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { StageConfig } from '../../config/config.ts';
import { billMonitoring, monitoringUsd, type BilledResource } from './monitoring-bill.ts';

/** What a stage will do with its request budget. */
export interface Outlook {
  /** Lists that are polled: the projects, those of the account and those of each project. */
  readonly lists: number;
  /** Seconds between two polls of an idle list, at the best. */
  readonly turnSeconds: number;
  /** Requests a minute that keep `maxWaitSeconds` for each list. */
  readonly neededRequestsPerMinute: number;
  readonly maxWaitSeconds: number;
  /** Whether the budget keeps it. */
  readonly isEnough: boolean;
  /** An idle month in US dollars, with monitoring and shards of the config. */
  readonly idleMonthUsd: number;
  /** What of it are alarms, metrics and the dashboard. */
  readonly monitoringUsd: number;
}

/**
 * Idle months by number of projects, as `docs/scaling.md` has them: with `monitoring` off, one shard and the default
 * request budget.
 */
export const IDLE_MONTHS: readonly (readonly [projects: number, usd: number])[] = [
  [10, 0.96],
  [100, 2.82],
  [1000, 6.23],
  [10_000, 9.35],
  [100_000, 38.73],
];

/** What each further shard costs in an idle month, without monitoring, whatever it polls; from the same table. */
export const SHARD_MONTH = 0.3;

/** What a webhook and a bus cost in a month without events, without monitoring; from the same document. */
export const DELIVERY_MONTHS: Readonly<Record<string, number>> = {
  webhook: 0.66,
  eventBridge: 0.26,
};

/** Lists of each project in those months. */
const USUAL_LISTS = 2;

/**
 * Calculates the outlook, see docs/scaling.md.
 *
 * @param projects those whose lists are polled.
 * @param resources those of the stage's template.
 */
export function outlookOf(
  config: StageConfig,
  projects: number,
  listsPerProject: number,
  resources: readonly BilledResource[],
): Outlook {
  const { requestsPerMinute, everyMinutes, maxWaitSeconds, monitoring } = config;
  const lists = projects * listsPerProject + 1 + makeCatalog(config).perAccount.length;
  const { shards } = config;
  const tickSeconds = everyMinutes * 60;
  const maxWait = maxWaitSeconds ?? Math.max(1800, 3 * tickSeconds);
  // Runs may start late: the last turn does not count. The list of projects takes one request of each.
  const turns = Math.max(1, Math.floor(maxWait / tickSeconds) - 1);
  // A run takes less than a minute, however long it is until the next one.
  const neededRequestsPerMinute = Math.ceil((lists - 1) / turns) + 1;
  const ofMonitoring = monitoringUsd(billMonitoring(resources, monitoring, shards));
  const ofDelivery = config.subscribers.map(({ protocol }) => DELIVERY_MONTHS[protocol] ?? 0);
  return {
    lists,
    turnSeconds: Math.max(1, Math.ceil(lists / requestsPerMinute)) * tickSeconds,
    neededRequestsPerMinute,
    maxWaitSeconds: maxWait,
    isEnough: requestsPerMinute >= neededRequestsPerMinute,
    idleMonthUsd:
      idleMonthUsd((projects * listsPerProject) / USUAL_LISTS) +
      (shards - 1) * SHARD_MONTH +
      ofDelivery.reduce((sum, usd) => sum + usd, 0) +
      ofMonitoring,
    monitoringUsd: ofMonitoring,
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
