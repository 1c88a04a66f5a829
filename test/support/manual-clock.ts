import type { Clock } from '../../functions/core/ports/clock.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Lets everything happen that does not wait for the clock. */
export const settlePromises = () => new Promise(setImmediate);

/** Measures times by a clock that is never set back. */
export function stopwatchBy(now: () => number): Clock['stopwatch'] {
  return () => {
    const startedAt = now();
    return () => now() - startedAt;
  };
}

/** Time that passes only when a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  /** The time that has passed, whatever the clock was set to. */
  #passedMs = 0;
  #sleepers: Sleeper[] = [];

  /** @param now milliseconds since 1970. */
  constructor(now = Date.parse('2026-03-02T09:00:00.000Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  readonly stopwatch = stopwatchBy(() => this.#passedMs);

  /** Moves the clock, though no time passes. */
  set(milliseconds: number): void {
    this.#now += milliseconds;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (milliseconds <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = { until: this.#now + milliseconds, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Lets time pass and wakes the sleepers that are due, the earliest first. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    this.#passedMs += milliseconds;
    const due = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const { wake } of due.sort((a, b) => a.until - b.until)) wake();
  }

  /** Lets time pass until the next sleeper wakes. @returns false when nobody sleeps. */
  advanceToNext(): boolean {
    if (this.#sleepers.length === 0) return false;
    this.advance(Math.min(...this.#sleepers.map(({ until }) => until)) - this.#now);
    return true;
  }
}
