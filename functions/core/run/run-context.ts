import type { FeedRegistry } from '../feeds/feed-registry.ts';
import type { FeedReader, ListsContext } from '../lists/read-feed.ts';
import type { Ports } from '../ports/ports.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { PollQueue } from './poll-queue.ts';
import type { RunOptions } from './run-options.ts';
import type { SummaryBuilder } from './run-summary.ts';
import type { ServiceHealth } from './service-health.ts';

/** Everything that a run has, for all of its sweeps. */
export interface RunContext {
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly registry: FeedRegistry;
  readonly scheduler: Scheduler;
  readonly health: ServiceHealth;
  readonly paging: ListsContext;
  readonly summary: SummaryBuilder;
  /** Whether an operator has paused all lists. */
  readonly isAllPaused: boolean;
  /** Aborting it stops the run. Pages in process are completed. */
  readonly stopping: AbortController;
  /** Aborted when polls must end: with the run, or before, to leave time for jobs. */
  readonly polling: AbortSignal;
  /** Time until the run must stop. */
  readonly leftMs: () => number;
}

/** Everything that one sweep of a run has. */
export interface SweepContext {
  readonly run: RunContext;
  /** The feeds that wait for their turn. */
  readonly queue: Pick<PollQueue, 'add' | 'hasWaiting'>;
  /** Has feeds polled next that a page made due: new, restored or just parked. */
  readonly addDue: (ids: readonly string[]) => void;
  readonly pagesPerTurn: number;
  /** Ids of the feeds whose poll was started. */
  readonly started: Set<string>;
  /** Ids of the feeds that were polled to the end of their list. */
  readonly finished: Set<string>;
  /** Polls that gave way to other feeds, by feed id. */
  readonly suspended: Map<string, FeedReader>;
  /** Errors that the run fails with. */
  readonly failures: unknown[];
}
