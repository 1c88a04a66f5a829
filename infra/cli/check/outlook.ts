import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { StageConfig } from '../../config/config.ts';

/** What a stage will do with its request budget. */
export interface Outlook {
  /** Polled lists: the projects, those of the account and those of each project. */
  readonly lists: number;
  /** Seconds between two polls of an idle list, at best. */
  readonly turnSeconds: number;
  /** Requests a minute that keep `maxWaitSeconds` for each list. */
  readonly neededRequestsPerMinute: number;
  readonly maxWaitSeconds: number;
  /** Whether the budget keeps `maxWaitSeconds`. */
  readonly isEnough: boolean;
}

/**
 * Calculates what the request budget of a stage means, see docs/scale-and-cost.md.
 *
 * @param projects those whose lists are polled.
 */
export function outlookOf(config: StageConfig, projects: number, listsPerProject: number): Outlook {
  const { requestsPerMinute, everyMinutes } = config;
  const lists = projects * listsPerProject + 1 + makeCatalog(config).perAccount.length;
  const tickSeconds = everyMinutes * 60;
  const maxWaitSeconds = config.maxWaitSeconds ?? Math.max(1800, 3 * tickSeconds);
  // Runs may start late: the last turn does not count. Each turn also reads the projects.
  const turns = Math.max(1, Math.floor(maxWaitSeconds / tickSeconds) - 1);
  const neededRequestsPerMinute = Math.ceil((lists - 1) / turns) + 1;
  return {
    lists,
    // A run takes less than a minute, however long it is until the next one.
    turnSeconds: Math.max(1, Math.ceil(lists / requestsPerMinute)) * tickSeconds,
    neededRequestsPerMinute,
    maxWaitSeconds,
    isEnough: requestsPerMinute >= neededRequestsPerMinute,
  };
}
