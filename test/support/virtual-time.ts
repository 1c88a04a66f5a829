import type { Clock } from '../../functions/core/ports/clock.ts';
import { stopwatchBy } from './manual-clock.ts';

export const MINUTE_MS = 60_000;

/** A call that is due at a point of virtual time. */
interface Timer {
  readonly time: number;
  readonly wake: () => void;
}

/**
 * Time of a simulation. It stands still while anything can go on without it, and then leaps to the
 * next timer. Timers of one moment go off in the order in which they were set, so a history is
 * repeatable.
 */
export class VirtualTime {
  #now: number;
  #outside = 0;
  /** The next one is last. */
  readonly #timers: Timer[] = [];

  /** @param start milliseconds since 1970. */
  constructor(start: number) {
    this.#now = start;
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  /** Calls `wake` after this many milliseconds. */
  after(milliseconds: number, wake: () => void): void {
    const time = this.#now + Math.max(0, milliseconds);
    const later = this.#timers.findLastIndex((timer) => timer.time > time);
    this.#timers.splice(later + 1, 0, { time, wake });
  }

  /** Ends early when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        resolve();
      });
    });
  }

  /** The clock of a process in this time. */
  get clock(): Clock {
    return {
      now: () => this.#now,
      stopwatch: stopwatchBy(() => this.#now),
      sleep: (milliseconds, signal) => this.sleep(milliseconds, signal),
    };
  }

  /** Stops time during work of the real world, for example of a real database. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  /** Lets time pass until no timer is left, or `isOver` says so. */
  async pass(isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      // A tick comes when no promise can go on, so everything that needs no time is done.
      await new Promise((resolve) => {
        process.nextTick(resolve);
      });
      while (this.#outside > 0) await new Promise(setImmediate);
      const timer = isOver() ? undefined : this.#timers.pop();
      if (timer === undefined) return;
      this.#now = timer.time;
      timer.wake();
    }
  }

  /** Lets time pass until some work is done that waits for it. */
  async passUntil<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const done = work.finally(() => (isOver = true));
    while (!isOver) {
      await this.pass(() => isOver);
      await new Promise(setImmediate);
    }
    return done;
  }
}
