import { partitionsOf, type Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { run } from '../../functions/core/run/run.ts';
import { Random } from '../../infra/local/service/world/random.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { RUN_OPTIONS } from '../support/site.ts';
import { Chronicle, type RunRecord } from './chronicle.ts';
import { Fleet, type Poller } from './fleet.ts';
import { retentionOf } from './forgetting.ts';
import type {
  Act,
  Deployment,
  FastHost,
  Fault,
  History,
  LateAnswer,
  LimitedList,
  LostItem,
  Order,
  Outage,
  SplitOutage,
  Throttling,
  UndatedStarts,
} from './history.ts';
import { hasSlowTie, memoryOf, perPageOf, stateBytesOf } from './memory.ts';
import { Operator } from './operator.ts';
import type { Backend } from './ports/ports-options.ts';
import { simulatedPorts } from './ports/simulated-ports.ts';
import { LEASE_MS } from './ports/simulated-store.ts';
import { Process, type CrashPoint, type Machine } from './process.ts';
import { SimulatedService } from './service.ts';
import { BuildingSite } from './site.ts';
import type { Row } from './truth.ts';
import { VirtualTime } from './virtual-time.ts';

const START = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** See `timeoutSeconds` in the config. */
const SHORTEST_TIMEOUT_MS = 30_000;
/** Minutes in which a list that is due must be polled. */
const JUDGED_MINUTES = 5;
/** How far the clock of a fast host is ahead. */
const FAST_MS = 5 * 3_600_000;
/** Minutes, longer than the maximum back-off of a feed. */
const LONGER_THAN_BACKOFF = 61;

export interface SimulationOptions {
  readonly backend?: Backend;
  readonly crashPoint?: CrashPoint;
}

/** The outcome of a history, ready to be judged. */
export type Outcome = ReturnType<Simulation['outcome']>;

/** Runs a history, and then whole runs on a service without faults. */
export async function simulate(
  history: History,
  options: SimulationOptions = {},
): Promise<Outcome> {
  const simulation = new Simulation(history, options);
  for (const [n, { afterMs, act }] of history.steps.entries()) {
    const isNext = ({ beforeStep }: { readonly beforeStep: number }): boolean =>
      beforeStep % history.steps.length === n;
    for (const outage of history.outages) if (isNext(outage)) await simulation.outage(outage);
    for (const lost of history.lostItems) if (isNext(lost)) await simulation.loseItem(lost);
    for (const late of history.lateAnswers) if (isNext(late)) await simulation.answerLate(late);
    for (const each of history.deployments) if (isNext(each)) simulation.deploy(each);
    for (const order of history.orders) if (isNext(order)) await simulation.order(order);
    const { splitOutage, fastHost, throttling, undatedStarts, limitedList } = history;
    if (splitOutage && isNext(splitOutage)) await simulation.splitOutage(splitOutage);
    if (limitedList && isNext(limitedList)) await simulation.limitList(limitedList);
    for (const beforeStep of history.retention?.beforeSteps ?? []) {
      if (isNext({ beforeStep })) await simulation.passRetention();
    }
    if (fastHost && isNext(fastHost)) await simulation.runOnFastHost(fastHost);
    if (throttling && isNext(throttling)) simulation.throttle(throttling);
    if (undatedStarts && isNext(undatedStarts)) await simulation.startUndated(undatedStarts);
    await simulation.wait(afterMs);
    simulation.do(act);
  }
  await simulation.calmDown();
  return simulation.outcome();
}

class Simulation {
  readonly #history: History;
  readonly #time = new VirtualTime(START);
  readonly #machine: Machine;
  readonly #site: BuildingSite;
  readonly #service: SimulatedService;
  readonly #backend: Backend;
  readonly #chronicle: Chronicle;
  readonly #active = new Map<number, Process>();
  readonly #tableLuck: Random;
  readonly #clients = new Map<number, { pausedUntil: number }>();
  readonly #fleet = new Fleet();
  readonly #operator: Operator;
  #isOnFastHost = false;
  #throttledUntil = 0;

  constructor(history: History, { backend, crashPoint }: SimulationOptions) {
    this.#history = history;
    this.#chronicle = new Chronicle(history);
    const luck = new Random(history.luck, 'simulation');
    this.#machine = { time: this.#time, luck, crashPoint, calls: 0, batches: [], faults: 0 };
    this.#tableLuck = new Random(history.luck, 'table');
    this.#site = new BuildingSite(history, () => this.#time.now);
    this.#service = new SimulatedService(this.#site, history, luck);
    this.#backend = backend ?? {
      store: new MemoryStore({
        maxEntityBytes: history.maxItemBytes,
        stateBytes: stateBytesOf(history),
        isDeleted: (expiresAt) =>
          history.retention?.deletes === 'early' && expiresAt + HOUR_MS <= this.#time.now,
      }),
      topic: new MemoryTopic(),
      quarantine: new MemoryQuarantine(),
    };
    this.#operator = new Operator(this.#backend.store, this.#site, this.#chronicle);
  }

  /** An operator orders something. */
  order(order: Order): Promise<void> {
    return this.#operator.place(order, this.#time.now);
  }

  /** Lets time pass; active runs continue meanwhile. */
  async wait(milliseconds: number): Promise<void> {
    let isOver = false;
    this.#time.after(milliseconds, () => (isOver = true));
    await this.#time.pass(() => isOver);
  }

  /**
   * The whole service fails for some minutes, and then answers again, with a tick in each minute: a long
   * outage has one in three, since each costs as much as a run.
   */
  async outage({ how, minutes }: Outage): Promise<void> {
    const before = new Set(this.#waiting());
    const { runs } = this.#chronicle;
    const firstRun = runs.length;
    const { fastHost } = this.#history;
    this.#service.fail(how);
    const pause = minutes > 20 ? 3 : 1;
    await this.#tickEvery(pause, minutes / pause, (n) => fastHost?.atMinute === n);
    this.#service.fail();
    // Only the end of a run that began earlier may have met it: a few lists that fail there are no outage.
    const isMet = runs.slice(firstRun).some(({ requests }) => requests > 0);
    await this.#tickEvery(1, 3, (n) => n === 0 && fastHost?.atMinute === 'end');
    // Where requests are short, an outage may not be noticed; where reads are old, too, not its end.
    const { staleMs, requestsPerRun } = this.#history.limits;
    if (requestsPerRun < (staleMs > 0 ? 1_000 : 10)) return;
    // Without whole runs since then, nobody could know that the service answers.
    if (!isMet || how === 'flaps' || !this.#chronicle.lastRuns.every(isWhole)) return;
    // A shard whose lists are all refused anyway does not notice an outage.
    const isUnnoticed = (id: string): boolean =>
      this.#fleet.isDivided && this.#chronicle.feed(id)?.parked === 'refused';
    const delayed = this.#waiting().filter((id) => !before.has(id) && !isUnnoticed(id));
    this.#chronicle.delayedByOutage.push(...delayed);
  }

  async answerLate({ which, beforeMs }: LateAnswer): Promise<void> {
    const late = this.#site.commitLate(which);
    if (late === undefined) return;
    await this.wait(1_000);
    this.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
    this.#tick([]);
    await this.wait(Math.max(0, late.visibleAt - beforeMs - this.#time.now));
    this.#service.answerLate(late.path);
    this.#tick([]);
    await this.wait(MINUTE_MS);
    this.#service.answerLate();
  }

  async loseItem({ which, call }: LostItem): Promise<void> {
    const hide = this.#site.addItem(which);
    this.#tick([{ port: 'topic', call, how: 'die after' }]);
    await this.wait(MINUTE_MS);
    hide?.();
    this.#tick([]);
  }

  /**
   * Runs start without a `Date`, see {@link UndatedStarts}. The run before has one, and hands it over; before
   * the first run our own clock tells what lies ahead.
   */
  async startUndated({ which, answers, runs }: UndatedStarts): Promise<void> {
    await this.#waitForLastCalls();
    if (this.#chronicle.runs.length === 0) {
      this.do({ kind: 'change', what: 'date floorplan in the future', which, late: 0 });
    } else {
      const before = this.#tick([]);
      await this.#waitForLastCalls();
      const isDated = ({ summary, hasDate, telemetry }: RunRecord): boolean =>
        summary !== undefined &&
        hasDate === true &&
        !telemetry.logs.some(({ level }) => level === 'error');
      if (!before.every(isDated)) return;
      this.#site.dateAhead(which);
    }
    for (let n = 0; n < runs; n += 1) {
      this.#service.leaveOutDates(answers);
      this.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
      this.#tick([]);
      await this.wait(MINUTE_MS);
      this.#service.leaveOutDates(0);
    }
    this.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
  }

  /** Lists fail apart from each other, see {@link SplitOutage}. */
  async splitOutage({ refusedMinutes, allMinutes, aloneMinutes }: SplitOutage): Promise<void> {
    this.#service.fail('project lists are refused');
    await this.#tickEvery(1, refusedMinutes);
    this.#service.fail('projects fail, and project lists are refused');
    await this.#tickEvery(1, allMinutes);
    this.#service.fail('projects fail');
    for (let minute = 0; minute < aloneMinutes; minute += JUDGED_MINUTES) {
      await this.#tickUnneglected();
    }
    this.#service.fail();
  }

  /** One list is answered with 429. At first that pauses all requests, but others are read in between. */
  async limitList({ which, retryAfterMinutes }: LimitedList): Promise<void> {
    const lists = [this.#site.projects, ...this.#site.all.map(({ list }) => list)];
    const path = lists[which % lists.length]?.path ?? '';
    const retryAfterMs = retryAfterMinutes * MINUTE_MS;
    this.#service.limit({ path, retryAfterMs });
    await this.#tickEvery(1, 2 * retryAfterMinutes + JUDGED_MINUTES);
    const { runs } = this.#chronicle;
    const firstRun = runs.length;
    const now = this.#time.now;
    const due = this.#openFeeds().filter(({ notBefore }) => notBefore <= now);
    await this.#tickEvery(1, retryAfterMinutes + JUDGED_MINUTES);
    this.#service.limit();
    const judged = runs.slice(firstRun);
    const hasWorked = ({ summary }: RunRecord): boolean => summary?.leaseHeld === false;
    if (judged.every(hasWorked) && this.#history.limits.requestsPerRun >= 1_000) {
      const isNeglected = (id: string): boolean =>
        judged.every(({ requested }) => !requested.has(id));
      const others = due.filter(({ id }) => `/${id}` !== path);
      this.#chronicle.neglected.push(...others.map(({ id }) => id).filter(isNeglected));
    }
    await this.wait(retryAfterMs);
  }

  /** Some ticks, after which every list that was due, and would be shown, must have been requested. */
  async #tickUnneglected(): Promise<void> {
    const due = this.#openFeeds().filter(({ notBefore }) => notBefore <= this.#time.now);
    const { runs } = this.#chronicle;
    const firstRun = runs.length;
    await this.#tickEvery(1, JUDGED_MINUTES);
    const judged = runs.slice(firstRun);
    // Where requests are short, others may be more urgent.
    if (!judged.every(isWhole) || this.#history.limits.requestsPerRun < 1_000) return;
    const isNeglected = (id: string): boolean =>
      judged.every(({ requested }) => !requested.has(id));
    this.#chronicle.neglected.push(...due.map(({ id }) => id).filter(isNeglected));
  }

  /** A run on a host whose clock is ahead, long after the one before it, and long before the next one. */
  async runOnFastHost({ killedAfterMs }: FastHost): Promise<void> {
    this.#isOnFastHost = true;
    await this.#waitForLastCalls();
    const started = this.#tick([], FAST_MS);
    this.#time.after(killedAfterMs, () => {
      for (const { n } of started) this.#active.get(n)?.kill();
    });
    await this.#waitForLastCalls();
    this.#isOnFastHost = false;
  }

  /** Everything that is deleted now, and seen before long, is forgotten. */
  async passRetention(): Promise<void> {
    const { retention, fastHost } = this.#history;
    if (retention === undefined || fastHost) return;
    const halfHours = 2 * retention.hours + 2;
    if (retention.hasTicks) await this.#tickEvery(30, halfHours);
    else await this.wait(halfHours * 30 * MINUTE_MS);
  }

  deploy(deployment: Deployment): void {
    this.#fleet.deploy(deployment);
  }

  /** Throttles the table from now on. */
  throttle({ ms }: Throttling): void {
    this.#throttledUntil = this.#time.now + ms;
  }

  /** Whether the table throttles a call. */
  #isThrottled(): boolean {
    const { throttling } = this.#history;
    if (this.#time.now >= this.#throttledUntil || this.#service.isCalm) return false;
    if (!this.#tableLuck.chance(throttling?.share ?? 0)) return false;
    this.#machine.faults += 1;
    return true;
  }

  /** Waits until all runs have ended. Calls of a killed one still have their effect, while its lease lasts. */
  async #waitForLastCalls(): Promise<void> {
    await this.#time.pass(() => this.#active.size === 0);
    await this.wait(LEASE_MS);
  }

  do(act: Act): void {
    switch (act.kind) {
      case 'tick':
        this.#tick(act.faults);
        if (act.againAfterMs > 0) {
          this.#time.after(act.againAfterMs, () => {
            if (!this.#isOnFastHost) this.#tick([]);
          });
        }
        break;
      case 'kill':
        for (const process of this.#active.values()) process.kill();
        break;
      case 'freeze':
        for (const process of this.#active.values()) process.freeze(act.ms);
        break;
      case 'change':
        this.#change(act);
        break;
    }
  }

  /** Stops changes and faults, and runs until nothing is due. */
  async calmDown(): Promise<void> {
    const { lookbackMs } = this.#history.notifier;
    await this.#operator.resumeAll();
    this.#service.calmDown();
    this.#site.calmDown();
    this.#fleet.settle();
    await this.wait(2 * MINUTE_MS + lookbackMs);
    // A new number of shards takes a run to agree on, and one until each has its orders.
    const switching = this.#history.deployments.length > 0 ? [2, 2] : [];
    const longer = [LONGER_THAN_BACKOFF, LONGER_THAN_BACKOFF];
    for (const pause of [0, ...switching, ...longer, 2, ...switching, 2]) {
      await this.wait(pause * MINUTE_MS);
      await this.#tickUntilDone();
    }
  }

  outcome() {
    return {
      history: this.#history,
      site: this.#site,
      service: this.#service,
      chronicle: this.#chronicle,
      /** Number of calls of the ports. */
      calls: this.#machine.calls,
      /** Numbers of the calls that may have half an effect, from 1. */
      batches: this.#machine.batches,
      /** Injected faults: failed calls, kills and pauses. */
      faults: this.#machine.faults,
      /** Virtual time. */
      endedAt: this.#time.now,
    };
  }

  /** Runs until a run completes within its time. */
  async #tickUntilDone(): Promise<void> {
    for (let n = 0; n < 20; n += 1) {
      const started = this.#tick([]);
      await this.#time.pass(() => this.#active.size === 0);
      if (!started.some(({ died, summary }) => died || summary?.stoppedEarly)) return;
      await this.wait(MINUTE_MS);
    }
  }

  async #tickEvery(
    minutes: number,
    times: number,
    isFast: (tick: number) => boolean = () => false,
  ): Promise<void> {
    const { fastHost } = this.#history;
    for (let n = 0; n < times; n += 1) {
      if (fastHost && isFast(n)) await this.runOnFastHost(fastHost);
      else this.#tick([]);
      await this.wait(minutes * MINUTE_MS);
    }
  }

  /** Ids of the feeds that wait for the service although it would show their lists. */
  #waiting(): string[] {
    return this.#openFeeds().flatMap(({ id, notBefore }) =>
      notBefore > this.#time.now ? [id] : [],
    );
  }

  /** The feeds whose lists the service would show. None while some may be paused. */
  #openFeeds(): Feed[] {
    if (this.#operator.mayHavePaused) return [];
    const isOpen = ({ project }: { readonly project: Row }): boolean =>
      !project.hidden && !project.isDeleted;
    const lists = this.#site.all.filter(isOpen).map(({ list }) => list);
    return (
      [this.#site.projects, ...lists]
        .filter((list) => !hasSlowTie(list, this.#history))
        .flatMap(({ path }) => this.#chronicle.feed(path.slice(1)) ?? [])
        // A page that the topic or the quarantine does not take waits for them, not for the service.
        .filter(({ hasUncommittedPage }) => !hasUncommittedPage)
    );
  }

  #change(order: Extract<Act, { kind: 'change' }>): void {
    const project = this.#site.change(order);
    if (project === undefined || project.hidden) return;
    // It returns with an old updated_at, which a cursor does not show.
    const known = this.#chronicle.state('projects', `project#${project.id}`);
    const { stamp } = project.newest;
    if (known?.version !== stamp) project.beyondPromise = stamp;
  }

  /** Starts a run of each poller. */
  #tick(faults: readonly Fault[], aheadMs = 0): readonly RunRecord[] {
    const tick = (this.#chronicle.runs.at(-1)?.tick ?? 0) + 1;
    return this.#fleet.start().map((poller) => this.#start(poller, tick, faults, aheadMs));
  }

  #start(
    { shard, shardCount }: Poller,
    tick: number,
    faults: readonly Fault[],
    aheadMs: number,
  ): RunRecord {
    const place = { shard, shardCount, partitions: partitionsOf(shard, shardCount) };
    const record: RunRecord = {
      n: this.#chronicle.runs.length,
      tick,
      partitions: place.partitions,
      startedAt: this.#time.now,
      died: false,
      timedOut: false,
      requests: 0,
      requested: new Set(),
      tableCalls: [],
      telemetry: new RecordingTelemetry(),
    };
    this.#chronicle.runs.push(record);
    const process = new Process(this.#machine, faults, aheadMs);
    this.#active.set(record.n, process);
    const timeLimitMs = this.#timeLimitMs();
    const endsAt = this.#time.now + timeLimitMs;
    const ports = simulatedPorts({
      process,
      record,
      chronicle: this.#chronicle,
      service: this.#service,
      limits: this.#history.limits,
      backend: this.#backend,
      luck: this.#machine.luck,
      client: this.#clientOf(shard),
      isThrottled: () => this.#isThrottled(),
    });
    const end = (): void => {
      this.#noteWhatWasPaused(record);
      record.endedAt ??= this.#time.now;
      this.#active.delete(record.n);
    };
    this.#time.after(timeLimitMs, () => {
      if (!this.#active.has(record.n)) return;
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
          if (!summary.stoppedEarly) this.#chronicle.baselines.endedWhole(record.n);
        },
        (error: unknown) => (record.error = error),
      )
      .finally(end);
    return record;
  }

  /** A view that is behind may not show a pause, and other shards probe the projects. */
  #noteWhatWasPaused({ startedAt, requested }: RunRecord): void {
    if (this.#history.limits.staleMs > 0) return;
    const isJudged = (id: string): boolean => id !== 'projects' || !this.#fleet.isDivided;
    const polled = [...requested].filter(
      (id) => isJudged(id) && this.#operator.isPaused(id, startedAt),
    );
    this.#chronicle.polledWhilePaused.push(...polled);
  }

  #clientOf(shard: number): { pausedUntil: number } {
    const client = this.#clients.get(shard) ?? { pausedUntil: 0 };
    this.#clients.set(shard, client);
    return client;
  }

  /** In the end at least the shortest `timeoutSeconds`: the pages of some lists take longer than 13 s. */
  #timeLimitMs(): number {
    const { timeLimitMs } = this.#history.notifier;
    return this.#service.isCalm ? Math.max(timeLimitMs, SHORTEST_TIMEOUT_MS) : timeLimitMs;
  }

  #options(n: number, endsAt: number): RunOptions {
    const { notifier } = this.#history;
    return {
      ...RUN_OPTIONS,
      runId: `run-${n}`,
      catalog: makeCatalog({ withCurrentSheet: notifier.sheets }),
      paging: { perPage: perPageOf(this.#history), lookbackMs: notifier.lookbackMs },
      baseline: notifier.baseline,
      concurrency: notifier.concurrency,
      pagesPerTurn: notifier.pagesPerTurn,
      pageBytes: memoryOf(this.#history).pageBytes,
      groupSize: this.#history.groupSize,
      leaseMs: LEASE_MS,
      retentionMs: retentionOf(this.#history),
      reserveMs: 8_000,
      remainingMs: () => endsAt - this.#time.now,
      random: () => this.#machine.luck.below(1_000) / 1_000,
    };
  }
}

/** Whether a run did everything that was due. */
function isWhole({ summary }: RunRecord): boolean {
  return summary !== undefined && !summary.leaseHeld && !summary.stoppedEarly;
}
