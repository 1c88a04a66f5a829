import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import type { RunOutcome, RunView } from '../protocol.ts';
import { eventCountOf, formatRun } from './format-run.ts';

export interface ObservedRun {
  /** Number of its tick. */
  readonly number: number;
  readonly shard: number;
}

const MAX_RUNS = 80;

/** The latest runs of a session, bounded, and sums of all that were completed. */
export class RunHistory {
  /** Oldest first. */
  runs: readonly RunView[] = [];
  counts = { runs: 0, entities: 0, published: 0, quarantined: 0 };

  get isRunning(): boolean {
    return this.runs.some(({ outcome }) => outcome === 'running');
  }

  start(run: ObservedRun): void {
    const started = { startedAt: Date.now(), eventCount: 0, details: 'under way' };
    this.runs = [...this.runs, { ...run, ...started, outcome: 'running' as const }];
    this.runs = this.runs.slice(-MAX_RUNS);
  }

  /** Marks the runs that are under way as killed. */
  kill(): void {
    this.runs = this.runs.map((run) =>
      run.outcome === 'running' ? { ...run, outcome: 'killed', details: 'killed by you' } : run,
    );
  }

  wasKilled({ number, shard }: ObservedRun): boolean {
    const found = this.runs.find((run) => run.number === number && run.shard === shard);
    return found?.outcome === 'killed';
  }

  /** @param result the run's summary, or why it failed. */
  end(ended: ObservedRun, result: RunSummary | string): void {
    const isFailed = typeof result === 'string';
    if (isFailed && this.wasKilled(ended)) return;
    const outcome = outcomeOf(result);
    const description = isFailed
      ? { outcome, details: result }
      : { outcome, details: formatRun(result), eventCount: eventCountOf(result) };
    this.runs = this.runs.map((run) =>
      run.number === ended.number && run.shard === ended.shard ? { ...run, ...description } : run,
    );
    if (isFailed || result.leaseHeld) return;
    const { runs, entities, published, quarantined } = this.counts;
    this.counts = {
      runs: runs + 1,
      entities: entities + result.entities,
      published: published + eventCountOf(result),
      quarantined: quarantined + result.quarantined,
    };
  }
}

export function outcomeOf(result: RunSummary | string): RunOutcome {
  if (typeof result === 'string') return 'failed';
  if (result.leaseHeld) return 'lease held';
  const { waiting, outageSince, token } = result;
  const isWell = waiting === 0 && outageSince === undefined && token === undefined;
  return isWell ? 'completed' : 'with failures';
}
