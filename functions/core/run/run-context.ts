import type { FeedRegistry } from '../feeds/feed-registry.ts';
import type { PlacedCommand } from '../model/command.ts';
import type { Paginator } from '../paging/paginator.ts';
import type { PagingContext } from '../paging/paging-context.ts';
import type { Ports } from '../ports/ports.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Breaker } from './breaker.ts';
import type { RunOptions } from './run-options.ts';
import type { SummaryBuilder } from './run-summary.ts';
import type { WorkQueue } from './work-queue.ts';

/** The poll of a feed that goes on once others had their turn. */
export interface SuspendedPoll {
  readonly paginator: Paginator;
  /** Whether it has read no page yet. */
  isNew: boolean;
}

/** Everything that a run has, for all of its sweeps. */
export interface RunContext {
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly registry: FeedRegistry;
  readonly scheduler: Scheduler;
  readonly breaker: Breaker;
  readonly paging: PagingContext;
  readonly summary: SummaryBuilder;
  /** Commands that go on over many runs, and are not done. */
  longCommands: readonly PlacedCommand[];
  /** Polls that gave way to other feeds, by feed id. */
  readonly suspended: Map<string, SuspendedPoll>;
  /** Lists of which this run could not publish or save a page, by feed id: that may not be saved either. */
  readonly uncommitted: Set<string>;
  /** Whether an operator has paused all lists. */
  readonly isAllPaused: boolean;
  /** Aborting it stops the run. Pages in process are completed. */
  readonly stopping: AbortController;
  /** Aborted when polls must end: with the run, or before, where long commands would have no time else. */
  readonly polling: AbortSignal;
  /** Time until the run must stop. */
  readonly leftMs: () => number;
}

/** Everything that one sweep of a run has. */
export interface SweepContext {
  readonly run: RunContext;
  /** Takes the ids of further feeds to poll. */
  readonly queue: Pick<WorkQueue<string>, 'add' | 'addFirst'>;
  readonly pagesPerTurn: number;
  /** Whether other feeds wait for their turn. */
  readonly hasWaiting: () => boolean;
  /** Ids of the feeds whose poll was started. */
  readonly started: Set<string>;
  /** Ids of the feeds that were polled to the end of their list. */
  readonly finished: Set<string>;
  /** Notes that the service has shown a page, whatever becomes of the rest of its list. */
  readonly onPage: () => void;
}
