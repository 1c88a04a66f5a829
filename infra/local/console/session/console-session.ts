import { setTimeout as delay } from 'node:timers/promises';
import type { ControlAnswer } from '../../../../functions/control/protocol.ts';
import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { LocalStack } from '../../stack/local-stack.ts';
import { MAX_ROWS, type ListsView, type Requests, type SessionView } from '../protocol.ts';
import { EventHistory } from './event-history.ts';
import { beginFault, describeFault, isSwitchedOff } from './faults.ts';
import { readLogLine } from './read-log-line.ts';
import { RunHistory, type ObservedRun } from './run-history.ts';
import { SessionNotes } from './session-notes.ts';

/** Time between two looks into the console's queue. */
const RECEIVE_EVERY_MS = 250;

/** The data of a session before its stack has started. */
export interface FollowedSession {
  readonly everySeconds: number;
  readonly isSimulated: boolean;
}

/** A session of `npm start`, followed from outside: the tabs of the console show and change it. */
export class ConsoleSession {
  lists: ListsView | undefined;
  readonly history = new EventHistory();
  readonly #followed: FollowedSession;
  readonly #runs = new RunHistory();
  readonly #stop = new AbortController();
  #receiving: Promise<void> | undefined;
  #stack: LocalStack | undefined;
  readonly #notes = new SessionNotes();
  #requestCount = 0;
  #isKillArmed = false;

  constructor(followed: FollowedSession) {
    this.#followed = followed;
  }

  /** Begins to receive the events of a stack. */
  async attach(stack: LocalStack): Promise<void> {
    const subscriber = await stack.subscribe();
    this.#stack = stack;
    stack.service?.requestListeners.add(() => {
      this.#requestCount += 1;
      if (this.#isKillArmed && this.#runs.isRunning) void this.#killNow();
    });
    this.#receiving = this.#receive(() => subscriber.drain());
  }

  async detach(): Promise<void> {
    this.#stop.abort();
    await this.#receiving;
  }

  view(): SessionView {
    const { everySeconds, isSimulated } = this.#followed;
    const { service, baseUrl = '' } = this.#stack ?? {};
    const faults = service?.behaviour.faults ?? [];
    return {
      phase: this.#stop.signal.aborted ? 'stopped' : this.#stack ? 'running' : 'starting',
      service: {
        url: baseUrl,
        isSimulated,
        isSwitchedOff: faults.some(isSwitchedOff),
        faults: faults.map(describeFault),
      },
      everySeconds,
      isBusy: service?.activity.running ?? false,
      isKillArmed: this.#isKillArmed,
      counts: {
        ...this.#runs.counts,
        requests: this.#requestCount,
        received: this.history.count,
      },
      runs: this.#runs.runs,
      notes: this.#notes.all,
    };
  }

  /** @throws Error while there is no simulated service. */
  get simulator(): Simulator {
    if (this.#stack?.service) return this.#stack.service;
    throw new Error(
      this.#stack ? 'The service is real: change it with its own tools.' : 'The stack is starting.',
    );
  }

  setActivity({ isRunning }: Requests['activity']): void {
    const { activity } = this.simulator;
    if (isRunning) activity.start();
    else activity.stop();
  }

  /** Begins a fault, or switches the service on again. @returns ids of changed entities. */
  setFault({ fault }: Requests['fault']): readonly string[] {
    const { behaviour } = this.simulator;
    if (fault === 'switched-off' && behaviour.faults.some(isSwitchedOff)) {
      behaviour.faults = behaviour.faults.filter((each) => !isSwitchedOff(each));
      this.#notes.add('info', 'The service is switched on again.');
      return [];
    }
    const { text, ids = [] } = beginFault(this.simulator, fault);
    this.#notes.hasTrouble ||= ids.length === 0;
    this.#notes.add(ids.length > 0 ? 'info' : 'problem', text);
    return ids;
  }

  async control(request: unknown): Promise<ControlAnswer> {
    if (!this.#stack) throw new Error('The stack is starting.');
    const answer = await this.#stack.control(request);
    await this.readLists();
    return answer;
  }

  /** Kills the poller: at once during a run, else at the first request of the next one. */
  async kill(): Promise<void> {
    this.#isKillArmed = true;
    if (this.#runs.isRunning) await this.#killNow();
  }

  runStarted(run: ObservedRun): void {
    this.#runs.start(run);
    // The requests to a real service are not seen.
    if (this.#isKillArmed && !this.#stack?.service) void this.#killNow();
  }

  /** Whether a person has killed a run that has not ended yet: that is no failure. */
  wasKilled(run: ObservedRun): boolean {
    return this.#runs.wasKilled(run);
  }

  /** @param result its summary, or why it failed. */
  runEnded(run: ObservedRun, result: RunSummary | string): void {
    this.#runs.end(run, result);
    const isWell = (this.#stack?.service?.behaviour.faults ?? []).length === 0;
    if (typeof result !== 'string') this.#notes.addRun(run.number, result, isWell);
    else if (this.wasKilled(run)) this.#notes.addKilledRun(run.number);
    else this.#notes.addFailedRun(result);
    void this.readLists();
  }

  readLog(line: string): void {
    const { problem, requestCount = 0 } = readLogLine(line);
    if (!this.#stack?.service) this.#requestCount += requestCount;
    if (problem !== undefined) this.#notes.add('problem', problem);
  }

  async readLists(): Promise<void> {
    if (!this.#stack) return;
    const request = { command: 'status', limit: MAX_ROWS };
    const answer = await this.#stack.control(request).catch(() => undefined);
    // Without an answer the lists stay as they were.
    if (answer && 'command' in answer && answer.command === 'status') this.lists = answer;
  }

  async #receive(drain: () => Promise<readonly { readonly message: string }[]>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const deliveries = await drain().catch(() => []);
      if (deliveries.length > 0) {
        const texts = deliveries.map(({ message }) => message);
        this.history.add(texts, this.#runs.runs);
      }
      await delay(RECEIVE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #killNow(): Promise<void> {
    this.#isKillArmed = false;
    this.#runs.kill();
    await this.#stack?.killFunction();
  }
}
