import { feedPartition, partitionsOf } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
// A run loads it when it has a job: virtual time would go on meanwhile.
import '../../functions/core/jobs/work-on-jobs.ts';
import { run } from '../../functions/core/run/run.ts';
import { Random } from '../../infra/local/simulator/world/random.ts';
import { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { RUN_OPTIONS } from '../support/site.ts';
import type { Chronicle, RunRecord } from './chronicle.ts';
import type { Fleet, Poller } from './fleet.ts';
import type { Fault } from './history/acts.ts';
import { retentionOf, type History } from './history/history.ts';
import type { Repair } from './history/operations.ts';
import { memoryOf, perPageOf } from './memory.ts';
import type { Operator } from './operator.ts';
import type { Backend } from './ports/ports-options.ts';
import { simulatedPorts } from './ports/simulated-ports.ts';
import { Process, type Machine } from './process.ts';
import type { SimulatedService } from './service.ts';
import type { VirtualTime } from './virtual-time.ts';

/** See `timeoutSeconds` in the config. */
const SHORTEST_TIMEOUT_MS = 30_000;

/** Several sweeps take all the time of a run: it ends within the minute until the next one. */
const LONGEST_SWEEPS_MS = 55_000;

/** Requests of a run that needs no more. */
const PLENTY_OF_REQUESTS = 1_000;

/** Where requests are short, each list is polled as often. */
const SHORT_MAX_WAIT_MS = 300_000;

/** What the runs of a history share. */
export interface RunHostParts {
  readonly history: History;
  readonly time: VirtualTime;
  readonly machine: Machine;
  readonly service: SimulatedService;
  readonly backend: Backend;
  readonly chronicle: Chronicle;
  readonly fleet: Fleet;
  readonly operator: Operator;
}

/** Starts runs, each in a process of its own that can be killed, and notes what they do. */
export class RunHost {
  readonly #parts: RunHostParts;
  readonly #tableLuck: Random;
  /** The processes of runs that have not ended, by the run's number. */
  readonly active = new Map<number, Process>();
  #throttledUntil = 0;
  /** Requests that a run has in the end, too; undefined: many. */
  requestsPerRun: number | undefined;

  constructor(parts: RunHostParts) {
    this.#parts = parts;
    this.#tableLuck = new Random(parts.history.luck, 'table');
  }

  /** Throttles the table from now on. */
  throttle(ms: number): void {
    this.#throttledUntil = this.#parts.time.now + ms;
  }

  /** Starts a run of a poller. */
  start({ shard, shardCount }: Poller, tick: number, faults: readonly Fault[]): RunRecord {
    const place = { shard, shardCount, partitions: partitionsOf(shard, shardCount) };
    const record: RunRecord = {
      n: this.#parts.chronicle.runs.length,
      tick,
      partitions: place.partitions,
      startedAt: this.#parts.time.now,
      died: false,
      timedOut: false,
      requests: 0,
      requested: new Set(),
      tableCalls: [],
      telemetry: new RecordingTelemetry(),
    };
    this.#parts.chronicle.runs.push(record);
    const process = new Process(this.#parts.machine, faults);
    this.active.set(record.n, process);
    const timeLimitMs = this.#timeLimitMs();
    const endsAt = this.#parts.time.now + timeLimitMs;
    const ports = simulatedPorts({
      process,
      record,
      chronicle: this.#parts.chronicle,
      service: this.#parts.service,
      limits: this.#parts.history.limits,
      requestsPerRun: this.#requestsPerRun,
      maxBodyBytes: memoryOf(this.#parts.history).maxBodyBytes,
      backend: this.#parts.backend,
      luck: this.#parts.machine.luck,
      isThrottled: () => this.#isThrottled(),
      isRefused: () => this.#isRefused(),
    });
    const end = (): void => {
      this.#noteWhatWasPaused(record);
      record.endedAt ??= this.#parts.time.now;
      this.active.delete(record.n);
    };
    this.#parts.time.after(timeLimitMs, () => {
      if (!this.active.has(record.n)) return;
      record.timedOut = true;
      process.kill();
    });
    void process.death.then(() => {
      record.died = true;
      end();
    });
    run(ports, { ...this.#options(record.n, endsAt), ...place })
      .then(
        (summary) => {
          record.summary = summary;
          if (!summary.stoppedEarly) this.#parts.chronicle.baselines.endedWhole(record.n);
        },
        (error: unknown) => (record.error = error),
      )
      .finally(end);
    return record;
  }

  get #requestsPerRun(): number {
    const { limits } = this.#parts.history;
    const usual = this.#parts.service.isCalm ? PLENTY_OF_REQUESTS : limits.requestsPerRun;
    return Math.min(usual, this.requestsPerRun ?? Infinity);
  }

  /** Whether the table throttles a call. */
  #isThrottled(): boolean {
    const { throttling } = this.#parts.history;
    if (this.#parts.time.now >= this.#throttledUntil || this.#parts.service.isCalm) return false;
    if (!this.#tableLuck.chance(throttling?.share ?? 0)) return false;
    this.#parts.machine.faults += 1;
    return true;
  }

  /** Whether the topic refuses an event: now and then, where an operator has refused ones tried again. */
  #isRefused(): boolean {
    const { history, service, machine } = this.#parts;
    const repairs: readonly Repair[] = history.repairs;
    const isRefusing = repairs.some(({ isRefusing: refuses }) => refuses);
    if (!isRefusing || service.isCalm || !machine.luck.chance(0.3)) return false;
    machine.faults += 1;
    return true;
  }

  /** A view that is behind may not show a pause, and other shards probe the projects. */
  #noteWhatWasPaused({ startedAt, requested, partitions }: RunRecord): void {
    if (this.#parts.history.limits.staleMs > 0) return;
    const isJudged = (id: string): boolean =>
      id !== 'projects' || partitions.includes(feedPartition({}));
    const polled = [...requested].filter(
      (id) => isJudged(id) && this.#parts.operator.isPaused(id, startedAt),
    );
    this.#parts.chronicle.polledWhilePaused.push(...polled);
  }

  /** In the end at least the shortest `timeoutSeconds`: the pages of some lists take longer than 13 s. */
  #timeLimitMs(): number {
    const { timeLimitMs } = this.#parts.history.notifier;
    if (this.#pollEveryMs() !== undefined) return Math.min(timeLimitMs, LONGEST_SWEEPS_MS);
    return this.#parts.service.isCalm ? Math.max(timeLimitMs, SHORTEST_TIMEOUT_MS) : timeLimitMs;
  }

  /** In the end a run sweeps once: the last of several sweeps may be cut short. */
  #pollEveryMs(): number | undefined {
    const { pollEverySeconds } = this.#parts.history;
    if (pollEverySeconds === undefined || this.#parts.service.isCalm) return undefined;
    return pollEverySeconds * 1000;
  }

  #options(n: number, endsAt: number): RunOptions {
    const { notifier } = this.#parts.history;
    const pollEveryMs = this.#pollEveryMs();
    return {
      ...RUN_OPTIONS,
      ...(pollEveryMs !== undefined && { pollEveryMs }),
      runId: `run-${n}`,
      catalog: makeCatalog({
        withCurrentSheet: notifier.sheets,
      }),
      paging: { perPage: perPageOf(this.#parts.history), lookbackMs: notifier.lookbackMs },
      baseline: notifier.baseline,
      concurrency: notifier.concurrency,
      pagesPerTurn: notifier.pagesPerTurn,
      groupSize: this.#parts.history.groupSize,
      ...(this.requestsPerRun !== undefined && { maxWaitMs: SHORT_MAX_WAIT_MS }),
      retentionMs: retentionOf(this.#parts.history),
      reserveMs: 8_000,
      remainingMs: () => endsAt - this.#parts.time.now,
    };
  }
}
