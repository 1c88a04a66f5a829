import { Random } from '../../../infra/local/simulator/world/random.ts';
import { MemoryQuarantine } from '../../support/memory-quarantine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { MINUTE_MS, VirtualTime } from '../../support/virtual-time.ts';
import type { History } from '../history/history.ts';
import type { Act, Fault } from '../history/steps.ts';
import type { Backend } from '../ports/ports-options.ts';
import { Trace, type RunRecord } from '../trace/trace.ts';
import { Fleet } from './fleet.ts';
import { Operator } from './operator.ts';
import type { CrashPoint, Machine } from './process.ts';
import { RunHost } from './run-host.ts';
import { SimulatedService } from './service.ts';
import { BuildingSite } from './site.ts';

const START = Date.parse('2026-03-02T08:00:00.000Z');
/** Minutes, longer than the maximum back-off of a feed. */
const LONGER_THAN_WAIT = 61;
/** Minutes after which the lists of deleted projects are read again. */
const LONGER_THAN_PARKED = 24 * 60 + 1;

/** The outcome of a history, ready to be judged. */
export type Outcome = ReturnType<World['outcome']>;

/** A service, its pollers and their operator, in virtual time. */
export class World {
  readonly history: History;
  readonly time = new VirtualTime(START);
  readonly machine: Machine;
  readonly site: BuildingSite;
  readonly service: SimulatedService;
  readonly backend: Backend = { store: new MemoryStore(), quarantine: new MemoryQuarantine() };
  readonly trace = new Trace();
  readonly fleet = new Fleet();
  readonly operator: Operator;
  readonly host: RunHost;
  /** Lists that still waited some minutes after an outage of the service. */
  readonly delayed: string[] = [];
  /** Numbers of runs late in an outage that did not notice it. */
  readonly unaware: number[] = [];
  /** Lists that were due, and not polled for minutes. */
  readonly neglected: string[] = [];
  /** Lists that were polled in an outage more often than their back-off allows. */
  readonly hasty: string[] = [];
  /** Number of calls of the ports before each step. */
  readonly callsBeforeSteps: number[] = [];

  constructor(history: History, crashPoint?: CrashPoint) {
    this.history = history;
    const luck = new Random(history.luck, 'simulation');
    this.machine = { time: this.time, luck, crashPoint, calls: 0, batches: [], faults: 0 };
    this.site = new BuildingSite(history, () => this.time.now);
    this.service = new SimulatedService(this.site, history, luck);
    this.operator = new Operator(this);
    this.host = new RunHost(this);
  }

  /** Lets time pass; active runs continue meanwhile. */
  async wait(milliseconds: number): Promise<void> {
    let isOver = false;
    this.time.after(milliseconds, () => (isOver = true));
    await this.time.pass(() => isOver);
  }

  /** Does a step of the history. */
  do(act: Act): void {
    const active = [...this.host.active.values()];
    if (act.kind === 'kill') for (const process of active) process.kill();
    if (act.kind === 'freeze') for (const process of active) process.freeze(act.ms);
    if (act.kind === 'change') this.#change(act);
    if (act.kind !== 'tick') return;
    this.tick(act.faults);
    if (act.againAfterMs > 0) this.time.after(act.againAfterMs, () => this.tick());
  }

  /** Starts a run of each poller. */
  tick(faults: readonly Fault[] = []): readonly RunRecord[] {
    const tick = (this.trace.runs.at(-1)?.tick ?? 0) + 1;
    return this.fleet.start().map((poller) => this.host.start(poller, tick, faults));
  }

  /** Lets runs start in each of so many minutes. */
  async tickEachMinute(minutes: number): Promise<void> {
    for (let n = 0; n < minutes; n += 1) {
      this.tick();
      await this.wait(MINUTE_MS);
    }
  }

  /** Stops changes and faults, and runs until nothing is due. */
  async calmDown(): Promise<void> {
    await this.operator.resumeAll();
    this.service.calmDown();
    this.fleet.settle();
    await this.wait(2 * MINUTE_MS + this.history.notifier.lookbackMs);
    await this.tickAfter(0, LONGER_THAN_PARKED, LONGER_THAN_WAIT);
  }

  /** Runs until a run completes within its time. */
  async tickUntilDone(): Promise<void> {
    for (let n = 0; n < 20; n += 1) {
      const started = this.tick();
      await this.time.pass(() => this.host.active.size === 0);
      if (!started.some(({ died, summary }) => died || summary?.stoppedEarly)) return;
      await this.wait(MINUTE_MS);
    }
  }

  /** Runs so many minutes apart, each until it is done. */
  async tickAfter(...minutes: readonly number[]): Promise<void> {
    for (const each of minutes) {
      await this.wait(each * MINUTE_MS);
      await this.tickUntilDone();
    }
  }

  /** The outcome to judge. */
  outcome() {
    const { history, site, service, trace, delayed, unaware, neglected, hasty } = this;
    const { calls, batches, faults } = this.machine;
    const { callsBeforeSteps } = this;
    const polledWhilePaused = this.operator.polledWhilePaused();
    return {
      ...{ history, site, service, trace, delayed, unaware, neglected, hasty, polledWhilePaused },
      ...{ calls, callsBeforeSteps, batches, faults, endedAt: this.time.now },
    };
  }

  #change(act: Extract<Act, { kind: 'change' }>): void {
    this.site.change(act);
    // A project comes back with an old updated_at, which a cursor does not show.
    for (const project of this.site.projects.rows) {
      const { stamp } = project.newest;
      const known = this.trace.state('projects', `project#${project.id}`);
      if (project.grantedAt === this.time.now && known?.version !== stamp) project.unseen = stamp;
    }
  }
}
