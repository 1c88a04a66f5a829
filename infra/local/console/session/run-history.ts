import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { countOf } from '../../../cli/format.ts';
import type { RunOutcome, RunView } from '../protocol.ts';

export interface ObservedRun {
  /** Number of its tick. */
  readonly number: number;
  readonly shard: number;
}

/** Is told of all runs of a session. */
export interface RunObserver {
  runStarted(run: ObservedRun): void;
  /** @param outcome its summary, or why it failed. */
  runEnded(run: ObservedRun, outcome: RunSummary | string): void;
  /** Whether a person has killed a run that has not ended yet: that is no failure. */
  wasKilled(run: ObservedRun): boolean;
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
    const isKilled = typeof result === 'string' && this.wasKilled(ended);
    const description = isKilled
      ? {}
      : {
          outcome: outcomeOf(result),
          details: describeRun(result),
          eventCount: eventCountOf(result),
        };
    this.runs = this.runs.map((run) =>
      run.number === ended.number && run.shard === ended.shard ? { ...run, ...description } : run,
    );
    if (typeof result === 'string' || result.leaseHeld) return;
    const { runs, entities, published, quarantined } = this.counts;
    this.counts = {
      runs: runs + 1,
      entities: entities + result.entities,
      published: published + eventCountOf(result),
      quarantined: quarantined + result.quarantined,
    };
  }
}

/** Events that the topic accepted. */
export function eventCountOf(result: RunSummary | string): number {
  if (typeof result === 'string') return 0;
  return Object.values(result.events).reduce((sum, count) => sum + count, 0);
}

export function outcomeOf(result: RunSummary | string): RunOutcome {
  if (typeof result === 'string') return 'failed';
  if (result.leaseHeld) return 'lease held';
  const { waiting, outageSince, token } = result;
  const isWell = waiting === 0 && outageSince === undefined && token === undefined;
  return isWell ? 'completed' : 'with failures';
}

function describeRun(result: RunSummary | string): string {
  if (typeof result === 'string') return result;
  const { leaseHeld, polled, feeds, entities, waiting, quarantined } = result;
  if (leaseHeld) return 'another run holds the lease';
  const counts = Object.entries({ waiting, quarantined });
  return [
    `${countOf(eventCountOf(result), 'event')} from ${countOf(entities, 'entity', 'entities')}`,
    feeds === 0 ? 'no list to poll' : `${polled} of ${feeds} lists`,
    ...counts.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`),
    ...(result.token === undefined ? [] : [`the refresh token is ${result.token}`]),
    ...(result.outageSince === undefined ? [] : ['no list could be read']),
  ].join(', ');
}
