import type { RunContext } from './run-context.ts';
import type { WorkQueue } from './work-queue.ts';

/** Everything that one sweep of a run has. */
export interface SweepContext {
  readonly run: RunContext;
  /** Ids of the feeds to poll. */
  readonly queue: WorkQueue<string>;
  readonly pagesPerTurn: number;
  /** Ids of the feeds whose poll was started. */
  readonly started: Set<string>;
  /** Ids of the feeds that were polled to the end of their list. */
  readonly finished: Set<string>;
  /** Notes that the service has shown a page, whatever becomes of the rest of its list. */
  readonly onPage: () => void;
}
