import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { StageConfig } from '../../config/config.ts';

/**
 * Calculates how often the request budget of a stage polls its lists, see docs/scale-and-cost.md.
 */
export function outlookOf(config: StageConfig, projects: number, listsPerProject: number) {
  const { requestsPerMinute, everyMinutes } = config;
  const lists = projects * listsPerProject + 1 + makeCatalog(config).perAccount.length;
  const tickSeconds = everyMinutes * 60;
  const maxWaitSeconds = config.maxWaitSeconds ?? Math.max(1800, 3 * tickSeconds);
  // Runs may start late: the last turn does not count. Each turn also reads the projects.
  const turns = Math.max(1, Math.floor(maxWaitSeconds / tickSeconds) - 1);
  const neededRequestsPerMinute = Math.ceil((lists - 1) / turns) + 1;
  return {
    lists,
    /** Between two polls of an idle list: a run takes less than a minute. */
    turnSeconds: Math.max(1, Math.ceil(lists / requestsPerMinute)) * tickSeconds,
    /** Requests a minute that keep `maxWaitSeconds` for each list. */
    neededRequestsPerMinute,
    maxWaitSeconds,
    isEnough: requestsPerMinute >= neededRequestsPerMinute,
  };
}
