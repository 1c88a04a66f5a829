import { Random } from '../../infra/local/simulator/world/random.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { Chronicle, type RunRecord } from './chronicle.ts';
import { Fleet } from './fleet.ts';
import type { Act, Fault } from './history/acts.ts';
import { hasLosses, shortageOf, type History } from './history/history.ts';
import type { Throttling } from './history/mishaps.ts';
import type { Shortage } from './history/operations.ts';
import { Losses } from './losses.ts';
import { Operator } from './operator.ts';
import type { Backend } from './ports/ports-options.ts';
import type { CrashPoint, Machine } from './process.ts';
import { RunHost, type RunHostParts } from './run-host.ts';
import { SimulatedService } from './service.ts';
import { BuildingSite } from './site.ts';
import { VirtualTime } from './virtual-time.ts';

const START = Date.parse('2026-03-02T08:00:00.000Z');
export const MINUTE_MS = 60_000;
/** Runs in which each list is polled, though a run has few requests. */
const SHORT_TURNS = 10;
/** Minutes, longer than the maximum back-off of a feed. */
const LONGER_THAN_WAIT = 61;
/** Minutes after which the lists of deleted projects are read again. */
const LONGER_THAN_PARKED = 24 * 60 + 1;

export interface SimulationOptions {
  readonly backend?: Backend;
  readonly crashPoint?: CrashPoint;
}

/** The outcome of a history, ready to be judged. */
export type Outcome = ReturnType<World['outcome']>;

/** A service, its pollers and their operator, in virtual time. */
export class World implements RunHostParts {
  readonly history: History;
  readonly time = new VirtualTime(START);
  readonly machine: Machine;
  readonly site: BuildingSite;
  readonly service: SimulatedService;
  readonly backend: Backend;
  readonly chronicle: Chronicle;
  readonly fleet = new Fleet();
  readonly operator: Operator;
  readonly losses = new Losses(this);
  /** Number of calls of the ports before each step. */
  readonly callsBeforeSteps: number[] = [];
  readonly #host: RunHost;

  constructor(history: History, { backend, crashPoint }: SimulationOptions) {
    this.history = history;
    this.chronicle = new Chronicle(history);
    const luck = new Random(history.luck, 'simulation');
    this.machine = {
      time: this.time,
      luck,
      crashPoint,
      calls: 0,
      batches: [],
      nextCalls: new Map<number, number>(),
      callsAfterReads: new Map<number, number>(),
      faults: 0,
    };
    this.site = new BuildingSite(history, () => this.time.now);
    this.service = new SimulatedService(this.site, history, luck);
    this.backend = backend ?? {
      store: new MemoryStore({ maxEntityBytes: history.maxItemBytes }),
      topic: new MemoryTopic(),
      quarantine: new MemoryQuarantine(),
    };
    this.operator = new Operator(this.backend, this.site, this.chronicle);
    this.#host = new RunHost(this);
  }

  /** Lets time pass; active runs continue meanwhile. */
  async wait(milliseconds: number): Promise<void> {
    let isOver = false;
    this.time.after(milliseconds, () => (isOver = true));
    await this.time.pass(() => isOver);
  }

  /** Throttles the table from now on. */
  throttle({ ms }: Throttling): void {
    this.#host.throttle(ms);
  }

  /** The table deletes the states that have expired. */
  expireStates(): void {
    const { store } = this.backend;
    if (!(store instanceof MemoryStore)) return;
    // A restore that is told and not saved may be told as created after that.
    const isDue = (feedId: string, key: string): boolean => this.chronicle.isSaved(feedId, key);
    for (const { feedId, key } of store.expire(this.time.now, isDue))
      this.chronicle.expired(feedId, key);
  }

  /** A run has few requests from now on. */
  runShort({ requestsPerRun }: Shortage): void {
    this.#host.requestsPerRun = requestsPerRun;
  }

  /** Does what a step of the history says. */
  do(act: Act): void {
    switch (act.kind) {
      case 'tick':
        this.tick(act.faults);
        if (act.againAfterMs > 0) {
          this.time.after(act.againAfterMs, () => this.tick());
        }
        break;
      case 'kill':
        for (const process of this.#host.active.values()) process.kill();
        break;
      case 'freeze':
        for (const process of this.#host.active.values()) process.freeze(act.ms);
        break;
      case 'change':
        this.#change(act);
        break;
    }
  }

  /** Lets runs start every so many minutes. */
  async tickEvery(minutes: number, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      this.tick();
      await this.wait(minutes * MINUTE_MS);
    }
  }

  /** Starts a run of each poller. */
  tick(faults: readonly Fault[] = []): readonly RunRecord[] {
    const tick = (this.chronicle.runs.at(-1)?.tick ?? 0) + 1;
    return this.fleet.start().map((poller) => this.#host.start(poller, tick, faults));
  }

  /** Stops changes and faults, and runs until nothing is due. */
  async calmDown(): Promise<void> {
    await this.operator.resumeAll(this.time.now);
    this.service.calmDown();
    this.site.calmDown();
    this.fleet.settle();
    await this.wait(2 * MINUTE_MS + this.site.lookbackMs);
    const longer = [LONGER_THAN_PARKED, LONGER_THAN_WAIT];
    await this.#tickAfter([0, ...longer, ...this.#stepping]);
    await this.losses.end(() => this.#tickUntilDone());
    // One stored finer than shown needs a run more to be caught up, and so does one that a reconciliation brings.
    const brought = hasLosses(this.history) ? [2] : [];
    const stepping = hasLosses(this.history) ? this.#stepping : [];
    await this.#tickAfter([2, ...brought, ...stepping, 2, 2]);
  }

  /**
   * Each poll halves a page that was too slow, from 1000 on at each tie, until it is fast enough.
   */
  get #stepping(): readonly number[] {
    const { service, slowStart, steps } = this.history;
    if (!slowStart && service.slowAbove === 1_000) return [];
    const isImport = ({ act }: (typeof steps)[number]): boolean =>
      act.kind === 'change' && act.what.startsWith('import');
    const count = 10 + 10 * steps.filter(isImport).length;
    return Array<number>(count).fill(LONGER_THAN_WAIT);
  }

  /** What there is to judge. */
  outcome() {
    return {
      history: this.history,
      site: this.site,
      service: this.service,
      chronicle: this.chronicle,
      /** Number of calls of the ports. */
      calls: this.machine.calls,
      callsBeforeSteps: this.callsBeforeSteps,
      /** Numbers of the calls that may have half an effect, from 1. */
      batches: this.machine.batches,
      /** By the number of a call: that of the next one of its process after the answer. */
      nextCalls: this.machine.nextCalls,
      /** By the number of a call that reads: that of the next one of its process. */
      callsAfterReads: this.machine.callsAfterReads,
      /** Injected faults: failed calls, kills and pauses. */
      faults: this.machine.faults,
      /** Virtual time. */
      endedAt: this.time.now,
    };
  }

  async #tickAfter(pauses: readonly number[]): Promise<void> {
    for (const pause of pauses) {
      await this.wait(pause * MINUTE_MS);
      await this.#tickUntilDone();
    }
  }

  /** Runs until a run completes within its time, or, where requests are short, until each list had its turn. */
  async #tickUntilDone(): Promise<void> {
    if (shortageOf(this.history)) return this.tickEvery(1, SHORT_TURNS);
    for (let n = 0; n < 20; n += 1) {
      const started = this.tick();
      await this.time.pass(() => this.#host.active.size === 0);
      if (!started.some(({ died, summary }) => died || summary?.stoppedEarly)) return;
      await this.wait(MINUTE_MS);
    }
  }

  #change(order: Extract<Act, { kind: 'change' }>): void {
    const project = this.site.change(order);
    if (project === undefined || project.hidden) return;
    // It returns with an old updated_at, which a cursor does not show.
    const known = this.chronicle.state('projects', `project#${project.id}`);
    const { stamp } = project.newest;
    if (known?.version !== stamp) project.beyondPromise = stamp;
  }
}
