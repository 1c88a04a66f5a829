import { once } from 'node:events';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import { parseJson } from '../../../functions/core/model/json/json.ts';
import type { ConsoleSession } from '../../local/console/session/console-session.ts';
import { formatRun } from '../../local/console/session/format-run.ts';
import type { ObservedRun } from '../../local/console/session/run-history.ts';
import type { LocalStack } from '../../local/stack/local-stack.ts';
import type { Subscriber } from '../../local/stack/subscriber.ts';
import { startTicker } from '../../local/stack/ticker.ts';
import type { DevTerminal } from './dev-terminal.ts';
import type { ProblemLog } from './problem-log.ts';
import { SessionTotals } from './session-totals.ts';

/** Time that a run may continue after Ctrl-C before it is killed. */
const RUN_GRACE_MS = 3_000;
/** Time between two prints of a long run's events. */
const SHOW_EVERY_MS = 3_000;

export interface SessionOptions {
  /** Seconds between two runs. */
  readonly every: number;
  /** Seconds until the end; absent: until Ctrl-C. */
  readonly seconds?: number | undefined;
  readonly problems: ProblemLog;
  readonly observer?: Pick<ConsoleSession, 'runStarted' | 'runEnded' | 'wasKilled'>;
}

/**
 * Runs the poller on its schedule, and shows each event that a subscriber receives. At the end the
 * last run finishes, and totals are shown.
 *
 * The simulated service starts to change after the first run that has reached it: that run records
 * the baseline.
 *
 * @returns whether the service was reached, or no run had the time to try.
 */
export async function runSession(
  stack: LocalStack,
  options: SessionOptions,
  terminal: DevTerminal,
  signal: AbortSignal,
): Promise<boolean> {
  const { every, seconds } = options;
  const session = new Session(stack, await stack.subscribe(), options, terminal);
  const start = performance.now();
  const ticker = startTicker(every * 1000, () => session.tick(signal));
  const isOver = seconds === undefined ? [] : [AbortSignal.timeout(seconds * 1000)];
  await aborted(AbortSignal.any([signal, ...isOver]));
  const stopped = ticker.stop();
  await Promise.race([stopped, aborted(signal)]);
  const kill = setTimeout(() => void stack.killFunction(), RUN_GRACE_MS);
  await stopped;
  clearTimeout(kill);
  await session.show();
  terminal.status(session.totals.format(performance.now() - start));
  const { pageCount, eventCount, endedRunCount } = session.totals;
  return pageCount > 0 || eventCount > 0 || endedRunCount === 0;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

class Session {
  readonly totals = new SessionTotals();
  readonly #stack: LocalStack;
  readonly #subscriber: Subscriber;
  readonly #options: SessionOptions;
  readonly #terminal: DevTerminal;
  #tickCount = 0;
  #hasActivity = false;
  #showing = Promise.resolve();

  constructor(
    stack: LocalStack,
    subscriber: Subscriber,
    options: SessionOptions,
    terminal: DevTerminal,
  ) {
    this.#stack = stack;
    this.#subscriber = subscriber;
    this.#options = options;
    this.#terminal = terminal;
  }

  /** Runs the poller of each shard once, and shows the outcomes. Never rejects. */
  async tick(signal: AbortSignal): Promise<void> {
    const number = ++this.#tickCount;
    const showing = setInterval(() => void this.show(), SHOW_EVERY_MS);
    await Promise.all(
      this.#stack.schedules.map((_, shard) => this.#run({ number, shard }, signal)),
    );
    clearInterval(showing);
  }

  /** Prints the received events, in the order of their times. Never rejects. */
  show(): Promise<void> {
    this.#showing = this.#showing
      .then(() => this.#drain())
      .catch((error: unknown) => {
        this.#terminal.problem(`No event can be shown: ${(error as Error).message}`);
      });
    return this.#showing;
  }

  /** Runs the poller of a shard, and prints its events, then its counts or its failure. */
  async #run(run: ObservedRun, signal: AbortSignal): Promise<void> {
    const { observer, problems } = this.#options;
    const ofShard = this.#stack.schedules.length > 1 ? ` of shard ${run.shard}` : '';
    const name = `run ${run.number}${ofShard}`;
    const start = performance.now();
    try {
      observer?.runStarted(run);
      const summary = await this.#stack.invoke(run.shard);
      const durationMs = performance.now() - start;
      observer?.runEnded(run, summary);
      this.totals.addRun(summary);
      await this.show();
      const isBaseline = !this.#hasActivity && summary.entities > 0;
      const seconds = (durationMs / 1000).toFixed(1);
      this.#terminal.status(`${name}: ${formatRun(summary, isBaseline)}, ${seconds} s`);
      if (summary.pages > 0) this.#startActivity();
    } catch (error) {
      if (signal.aborted) {
        this.#terminal.status(`${name} was killed, since it went on after Ctrl-C`);
        return;
      }
      this.totals.addRun();
      const failure = problems.describeFailure(error as Error);
      if (observer?.wasKilled(run)) this.#terminal.status(`${name} was killed by you`);
      else this.#terminal.problem(`${name} ${failure}`);
      observer?.runEnded(run, failure);
    }
  }

  #startActivity(): void {
    if (this.#hasActivity) return;
    this.#hasActivity = true;
    this.#stack.service?.activity.start();
  }

  async #drain(): Promise<void> {
    // The poller publishes ChangeEvents and ClaimCheckEvents only.
    const events = (await this.#subscriber.drain()).map(
      ({ message }) => parseJson(message) as ChangeEvent | ClaimCheckEvent,
    );
    for (const event of events.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))) {
      this.totals.addEvent(event);
      this.#terminal.event(event);
    }
  }
}
