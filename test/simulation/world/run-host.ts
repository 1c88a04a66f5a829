import { feedPartition, partitionsOf } from '../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { RunOptions } from '../../../functions/core/run/run-options.ts';
// A run loads it when it has a job: virtual time would go on meanwhile.
import '../../../functions/core/jobs/work-on-jobs.ts';
import { run } from '../../../functions/core/run/run.ts';
import { Random } from '../../../infra/local/simulator/world/random.ts';
import { RUN_OPTIONS } from '../../support/site.ts';
import type { History } from '../history/history.ts';
import type { Throttling } from '../history/mishaps.ts';
import type { Fault } from '../history/steps.ts';
import type { Backend } from '../ports/ports-options.ts';
import { simulatedPorts } from '../ports/simulated-ports.ts';
import type { RunRecord, Trace } from '../trace/trace.ts';
import type { Poller } from './fleet.ts';
import { Process, type Machine } from './process.ts';
import type { SimulatedService } from './service.ts';

/** See `timeoutSeconds` in the config. */
const SHORTEST_TIMEOUT_MS = 30_000;
/** Several sweeps take all the time of a run: it ends within the minute until the next one. */
const LONGEST_SWEEPS_MS = 55_000;
/** Requests of a run that needs no more. */
const PLENTY_OF_REQUESTS = 1_000;

/** The common parts of a history's runs. */
export interface RunHostParts {
  readonly history: History;
  readonly machine: Machine;
  readonly service: SimulatedService;
  readonly backend: Backend;
  readonly trace: Trace;
}

/** Starts runs, each in a process of its own that can be killed, and notes their calls. */
export class RunHost {
  readonly #parts: RunHostParts;
  readonly #tableLuck: Random;
  /** The processes of runs that have not ended, by the run's number. */
  readonly active = new Map<number, Process>();
  #throttling: { readonly until: number; readonly share: number } | undefined;

  constructor(parts: RunHostParts) {
    this.#parts = parts;
    this.#tableLuck = new Random(parts.history.luck, 'table');
  }

  /** Throttles the table from now on. */
  throttle({ ms, share }: Throttling): void {
    this.#throttling = { until: this.#now + ms, share };
  }

  /** Starts a run. */
  start(place: Poller, tick: number, faults: readonly Fault[]): RunRecord {
    const { trace, machine, history } = this.#parts;
    const record: RunRecord = {
      ...{ n: trace.runs.length, tick, startedAt: this.#now, died: false, timedOut: false },
      ...{ requests: 0, requested: new Set(), tableCalls: [] },
      partitions: partitionsOf(place.shard, place.shardCount),
    };
    trace.runs.push(record);
    const process = new Process(machine, faults);
    this.active.set(record.n, process);
    const timeLimitMs = this.#timeLimitMs;
    const end = (): void => {
      record.endedAt ??= this.#now;
      this.active.delete(record.n);
    };
    machine.time.after(timeLimitMs, () => {
      if (!this.active.has(record.n)) return;
      record.timedOut = true;
      process.kill();
    });
    void process.death.then(() => {
      record.died = true;
      end();
    });
    const ports = simulatedPorts({
      ...{ process, record, staleMs: history.notifier.staleMs, luck: machine.luck },
      ...{ trace, service: this.#parts.service, backend: this.#parts.backend },
      ...{ requestsPerRun: this.#requestsPerRun, isThrottled: () => this.#isThrottled() },
    });
    const { shard } = place;
    const { partitions } = record;
    run(ports, { ...this.#options(record.n, this.#now + timeLimitMs), shard, partitions })
      .then(
        (summary) => {
          record.summary = summary;
          this.#noteFirstPass(record);
        },
        (error: unknown) => (record.error = error),
      )
      .finally(end);
    return record;
  }

  get #now(): number {
    return this.#parts.machine.time.now;
  }

  get #requestsPerRun(): number {
    const { service, history } = this.#parts;
    return service.isCalm ? PLENTY_OF_REQUESTS : history.notifier.requestsPerRun;
  }

  /** Whether the table throttles a call. */
  #isThrottled(): boolean {
    const { until = 0, share = 0 } = this.#throttling ?? {};
    if (this.#now >= until || this.#parts.service.isCalm) return false;
    if (!this.#tableLuck.chance(share)) return false;
    this.#parts.machine.faults += 1;
    return true;
  }

  /** A whole run that read the list of projects ends the first pass, if nobody writes the feed. */
  #noteFirstPass({ summary, requested, partitions }: RunRecord): void {
    const { history, trace } = this.#parts;
    const isDisturbed = history.commands.length > 0 || history.notifier.staleMs > 0;
    const isWhole = summary?.leaseHeld === false && !summary.stoppedEarly && !isDisturbed;
    if (!isWhole || !partitions.includes(feedPartition({})) || !requested.has('projects')) return;
    if (trace.feed('projects')?.wait === undefined) trace.firstPass.endedBy ||= this.#now;
  }

  /** In the end at least the shortest `timeoutSeconds`: some lists take longer than 13 s. */
  get #timeLimitMs(): number {
    const { timeLimitMs } = this.#parts.history.notifier;
    if (this.#pollEveryMs !== undefined) return Math.min(timeLimitMs, LONGEST_SWEEPS_MS);
    return this.#parts.service.isCalm ? Math.max(timeLimitMs, SHORTEST_TIMEOUT_MS) : timeLimitMs;
  }

  /** In the end a run sweeps once: the last of several sweeps may be cut short. */
  get #pollEveryMs(): number | undefined {
    const { pollEverySeconds } = this.#parts.history.notifier;
    if (pollEverySeconds === 0 || this.#parts.service.isCalm) return undefined;
    return pollEverySeconds * 1000;
  }

  #options(n: number, endsAt: number): RunOptions {
    const { perPage, lookbackMs, sheets, ...notifier } = this.#parts.history.notifier;
    const pollEveryMs = this.#pollEveryMs;
    return {
      ...RUN_OPTIONS,
      ...(pollEveryMs !== undefined && { pollEveryMs }),
      runId: `run-${n}`,
      catalog: makeCatalog({ withCurrentSheet: sheets }),
      paging: { perPage, lookbackMs },
      baseline: notifier.baseline,
      concurrency: notifier.concurrency,
      pagesPerTurn: notifier.pagesPerTurn,
      groupSize: notifier.groupSize,
      reserveMs: 8_000,
      remainingMs: () => endsAt - this.#now,
    };
  }
}
