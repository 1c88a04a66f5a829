import type { FeedRegistry } from '../feeds/feed-registry.ts';
import type { ListsContext } from '../lists/read-feed.ts';
import type { Ports } from '../ports/ports.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { RunOptions } from './run-options.ts';
import type { RunSummary } from './run-summary.ts';
import type { RunTime } from './run-time.ts';
import type { ServiceHealth } from './service-health.ts';

/** Everything that a run has, for all of its sweeps and jobs. */
export interface RunContext {
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly registry: FeedRegistry;
  readonly scheduler: Scheduler;
  readonly health: ServiceHealth;
  readonly lists: ListsContext;
  readonly summary: RunSummary;
  readonly time: RunTime;
}
