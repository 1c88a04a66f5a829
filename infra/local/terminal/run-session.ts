import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import { parseJson } from '../../../functions/core/model/json/json.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import type { LocalStack } from '../stack/local-stack.ts';
import type { Subscriber } from '../stack/subscriber.ts';
import { startTicker } from '../stack/ticker.ts';
import { addUp, formatRun, formatShortBudget, LEGEND } from './format-run.ts';
import type { Options } from './parse-options.ts';
import type { ProblemLog } from './problem-log.ts';
import { SessionTotals } from './session-totals.ts';
import type { Terminal } from './terminal.ts';

/** Time that a run may continue after Ctrl-C before it is killed. */
const RUN_GRACE_MS = 3_000;
/** A run with `pollEverySeconds` takes most of its interval: what it has published is shown so often meanwhile. */
const SHOW_EVERY_MS = 3_000;
/** Time in which the first sweep of such a run records the baseline. */
const BASELINE_MS = 15_000;
/** Time for webhooks to try the events of the last run. */
const SETTLE_MS = 3_000;

/** Entities whose events come on top of those of a list. */
const NESTED = new Set(
  makeCatalog().perProject.flatMap(({ nested = [] }) => nested.map(({ entity }) => entity)),
);

export interface SessionOptions extends Pick<Options, 'every' | 'seconds'> {
  readonly problems: ProblemLog;
  /** Of the config. Absent: the service has no limit. */
  readonly requestsPerMinute?: number;
  /** Called before each run. */
  readonly beforeRun?: () => Promise<void>;
  readonly observer?: RunObserver;
}

/** A run of the poller of one shard. */
export interface ObservedRun {
  /** Number of its tick. */
  readonly number: number;
  readonly shard: number;
}

/** Is told of all runs. */
export interface RunObserver {
  runStarted(run: ObservedRun): void;
  /** @param outcome its summary, or why it failed. */
  runEnded(run: ObservedRun, outcome: RunSummary | string): void;
  /** Whether a person has killed a run that has not ended yet: that is no failure. */
  wasKilled(run: ObservedRun): boolean;
}

/**
 * Runs the poller on its schedule and shows each event that a subscriber receives, after each run, and every few seconds
 * of a long one, in the order of their times. At its end the last run finishes, and totals are shown.
 *
 * The simulated service starts to change after the first run that reached it, or some seconds after its start: it records
 * the baseline.
 *
 * @returns whether the service was reached, or no run had the time to try.
 */
export async function runSession(
  stack: LocalStack,
  options: SessionOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const session = new Session(stack, await stack.subscribe(), options, terminal);
  const start = performance.now();
  const ticker = startTicker(options.every * 1000, () => session.run(signal));
  await sessionEnd(options.seconds, signal);
  const stopped = ticker.stop();
  await lastRun(stack, stopped, terminal, signal);
  await session.showEvents();
  await stack.settle(AbortSignal.any([signal, AbortSignal.timeout(SETTLE_MS)]));
  terminal.status(session.totals.format(performance.now() - start));
  const { pageCount, eventCount, endedRunCount } = session.totals;
  return pageCount > 0 || eventCount > 0 || endedRunCount === 0;
}

class Session {
  readonly totals = new SessionTotals(Date.now());
  readonly #stack: LocalStack;
  readonly #subscriber: Subscriber;
  readonly #options: SessionOptions;
  readonly #terminal: Terminal;
  readonly #explained = new Set<string>();
  #runCount = 0;
  #hasBaseline = false;
  #hasActivity = false;
  /** Events of lists that were shown before the end of the run that published them. */
  #shownCount = 0;

  constructor(
    stack: LocalStack,
    subscriber: Subscriber,
    options: SessionOptions,
    terminal: Terminal,
  ) {
    this.#stack = stack;
    this.#subscriber = subscriber;
    this.#options = options;
    this.#terminal = terminal;
  }

  /** Runs the poller of each shard once and shows the outcome of all. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const number = ++this.#runCount;
    const { schedules } = this.#stack;
    const { problems } = this.#options;
    const start = performance.now();
    // Shown together: what one shard publishes arrives while the other still runs.
    const runs = schedules.map((_, shard) =>
      this.#attempt(
        `run ${number}${schedules.length > 1 ? ` of shard ${shard}` : ''}`,
        signal,
        () => this.#invoke({ number, shard }),
        { number, shard },
      ),
    );
    const ended = new AbortController();
    const showing = this.#attempt(`run ${number}`, signal, () =>
      this.#showMeanwhile(number, ended.signal),
    );
    const summaries = (await Promise.all(runs)).filter((summary) => summary !== undefined);
    ended.abort();
    await showing;
    if (summaries.length > 0) {
      const durationMs = performance.now() - start;
      const run = { number, summary: addUp(summaries), durationMs };
      await this.#attempt(`run ${number}`, signal, () => this.#showRun(run));
    }
    const repeated = problems.takeRepeated();
    if (repeated !== undefined) this.#terminal.status(`    ${repeated}`);
  }

  async #invoke(run: ObservedRun): Promise<RunSummary> {
    const { beforeRun, observer } = this.#options;
    await beforeRun?.();
    observer?.runStarted(run);
    const summary = await this.#stack.invoke(run.shard);
    observer?.runEnded(run, summary);
    this.totals.addRun(summary);
    if (summary.pages > 0) this.#startActivity();
    return summary;
  }

  #startActivity(): void {
    if (this.#hasActivity) return;
    this.#hasActivity = true;
    this.#stack.service?.startActivity();
  }

  /** Shows what runs publish that take long, until they end. */
  async #showMeanwhile(number: number, ended: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    try {
      for (;;) {
        await delay(SHOW_EVERY_MS, undefined, { signal: ended });
        this.#shownCount += listedIn(await this.showEvents());
        const isRead = performance.now() - startedAt > BASELINE_MS;
        if (number === 1 && isRead) this.#startActivity();
      }
    } catch (error) {
      if (!ended.aborted) throw error;
    }
  }

  /**
   * @param observed the run that fails with the work.
   * @returns undefined when it failed, which is shown.
   */
  async #attempt<T>(
    run: string,
    signal: AbortSignal,
    work: () => Promise<T>,
    observed?: ObservedRun,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) {
        this.#terminal.status(`${run} was killed, since it went on for 3 s after Ctrl-C`);
      } else {
        this.totals.addRun();
        const { problems, observer } = this.#options;
        const failure = problems.describeFailure(error as Error);
        const shown = observed ? problems.shortenFailure(failure, observed) : failure;
        if (observed && observer?.wasKilled(observed))
          this.#terminal.status(`${run} was killed by you`);
        else this.#terminal.problem(`${run} ${shown}`);
        if (observed) observer?.runEnded(observed, failure);
      }
      return undefined;
    }
  }

  /** Shows what the subscriber has received, in the order of the events' times. */
  async showEvents(): Promise<readonly (ChangeEvent | ClaimCheckEvent)[]> {
    const receivers = await this.#drainDeclared();
    // The poller publishes ChangeEvents and ClaimCheckEvents only.
    const events = (await this.#subscriber.drain()).map(
      ({ message }) => parseJson(message) as ChangeEvent | ClaimCheckEvent,
    );
    const receivedAt = Date.now();
    // At equal times, in the order of arrival.
    for (const event of events.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))) {
      this.totals.addEvent(event, receivedAt);
      this.#terminal.event(event, receivers.get(event.id) ?? []);
    }
    return events;
  }

  async #showRun(run: { number: number; summary: RunSummary; durationMs: number }): Promise<void> {
    const { summary } = run;
    const listedEventCount = this.#shownCount + listedIn(await this.showEvents());
    this.#shownCount = 0;
    const hasBaseline = this.#hasBaseline;
    const line = formatRun({ ...run, hasBaseline, listedEventCount });
    this.#terminal.status(line);
    this.#tellBudget(summary.polled, run.durationMs);
    for (const [word, meaning] of Object.entries(LEGEND)) {
      if (!line.includes(` ${word}`) || this.#explained.has(word)) continue;
      this.#explained.add(word);
      this.#terminal.status(`    ${meaning}`);
    }
    this.#hasBaseline ||= summary.pages > 0 && !summary.stoppedEarly && summary.waiting === 0;
  }

  /** Once: why runs take long that poll more often than the config allows. */
  #tellBudget(listCount: number, durationMs: number): void {
    const { every, requestsPerMinute } = this.#options;
    const everySeconds = Math.max(every, Math.ceil(durationMs / 1000));
    if (requestsPerMinute === undefined || this.#explained.has('budget')) return;
    const text = formatShortBudget({ listCount, everySeconds, requestsPerMinute });
    if (text === undefined) return;
    this.#explained.add('budget');
    this.#terminal.status(`    ${text}`);
  }

  /** @returns the names of the declared subscribers that received an event, by its id. */
  async #drainDeclared(): Promise<ReadonlyMap<string, readonly string[]>> {
    const receivers = new Map<string, string[]>();
    for (const declared of this.#stack.declaredSubscribers) {
      const { name } = declared;
      const deliveries = await declared.drain();
      this.totals.addDeliveries(name, deliveries.length);
      for (const { message } of deliveries) {
        const { id } = parseJson(message) as { id: string };
        receivers.set(id, [...(receivers.get(id) ?? []), name]);
      }
    }
    return receivers;
  }
}

/** The number of events that are not of nested entities. */
function listedIn(events: readonly Pick<ChangeEvent, 'type'>[]): number {
  return events.filter(({ type }) => !NESTED.has(type.split('.', 1).join())).length;
}

async function sessionEnd(seconds: number | undefined, signal: AbortSignal): Promise<void> {
  const ending =
    seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  if (!ending.aborted) await once(ending, 'abort');
}

/** Waits for the run that is going on. Ctrl-C kills it, though later than the end of the session's seconds. */
async function lastRun(
  stack: LocalStack,
  stopped: Promise<void>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const isOver = stopped.then(() => {
    ended.abort();
  });
  const isSlow = setTimeout(() => {
    if (!signal.aborted)
      terminal.status('The time is over. The last run goes on until its end, or Ctrl-C.');
  }, RUN_GRACE_MS);
  const either = AbortSignal.any([signal, ended.signal]);
  if (!either.aborted) await once(either, 'abort');
  if (signal.aborted) await killAfterGrace(stack, stopped);
  await isOver;
  clearTimeout(isSlow);
}

/** Kills the current run unless it ends within the grace period. */
async function killAfterGrace(stack: LocalStack, stopped: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const isOver = delay(RUN_GRACE_MS, true, { signal: ended.signal }).catch(() => false);
  const hangs = await Promise.race([stopped.then(() => false), isOver]);
  ended.abort();
  // The webhooks' functions go on until the stack is closed.
  if (hangs) await stack.killFunction();
}
