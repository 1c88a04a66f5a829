import PQueue from 'p-queue';
import * as z from 'zod/mini';
import { RateLimitedError } from '../../core/model/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../core/model/timestamp.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import { unlessAborted } from '../shared/timeout.ts';

/** Time after a 429 in which starts are spaced. */
const SPACED_MS = DAY_MS;
/** Pause after a 429 that names none. */
const PAUSE_MS = 30_000;
/** Longest pause, even if the service asks for more. */
const MAX_PAUSE_MS = 3_600_000;
/** Share of the maximum rate that a lowered rate gains each minute. It never falls below it. */
const STEP_SHARE = 0.1;

/** Limits of all requests of one client together, each at least 1. */
interface RequestLimits {
  readonly requestsPerMinute: number;
  /** Maximum of requests in flight. */
  readonly concurrency: number;
}

/** The note for another process. Times are milliseconds since 1970. */
const noteShape = z.object({
  /** Requests by the second in which they started, since 1970. */
  starts: z.array(z.tuple([z.number(), z.number()])),
  pausedUntil: z.number(),
  halved: z.optional(z.object({ at: z.number(), to: z.number() })),
});

/**
 * Decides when requests start: in the order of their calls, and as the service allows.
 *
 * - At most `requestsPerMinute` in any 60 seconds, also across processes: see `handOver`.
 * - None in a pause after a 429.
 * - A 429 halves the rate, which grows back by a tenth of its maximum a minute.
 * - For a day after a 429, starts are spaced evenly: services also count by the second. Not
 *   always: each run would last the whole minute.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxPerMinute: number;
  /** Requests in flight, and those next to start. */
  readonly #requests: PQueue;
  /** The request that waits for its time to start, and those behind it. */
  readonly #waiting = new PQueue({ concurrency: 1 });
  /** Starts of the last minute, and the last one, in order. */
  #starts: number[] = [];
  #pausedUntil = 0;
  /** When the rate was halved last, and to how many requests a minute. */
  #halved: { readonly at: number; readonly to: number } | undefined;

  constructor({ requestsPerMinute, concurrency }: RequestLimits, clock: Clock) {
    this.#clock = clock;
    this.#maxPerMinute = requestsPerMinute;
    this.#requests = new PQueue({ concurrency });
  }

  /**
   * Runs a task when fewer than `concurrency` others run.
   *
   * @throws the signal's reason once it is aborted.
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    const done = this.#requests.add(() => {
      signal?.throwIfAborted();
      return task();
    });
    return unlessAborted(done, signal);
  }

  /**
   * Waits, within a task, until a request may start, and counts it.
   *
   * @throws RateLimitedError when that is not before `startBefore`.
   * @throws the signal's reason once it is aborted.
   */
  waitForStart(startBefore = Infinity, signal?: AbortSignal): Promise<void> {
    return this.#waiting.add(async () => {
      for (;;) {
        signal?.throwIfAborted();
        const now = this.#clock.now();
        const startsAt = this.#nextStartAt(now);
        if (startsAt <= now) break;
        if (startsAt >= startBefore) {
          throw new RateLimitedError('A request was not sent: the request budget is spent', {
            hint: 'Raise requestsPerMinute if the service allows more.',
          });
        }
        // A pause may begin meanwhile.
        await this.#clock.sleep(startsAt - now, signal);
      }
      this.countStart();
    });
  }

  /** Counts a request that starts now without waiting for its turn. */
  countStart(): void {
    const now = this.#clock.now();
    this.#starts.push(now);
    const oldCount = this.#starts.findIndex((start) => start > now - MINUTE_MS);
    this.#starts.splice(0, oldCount);
  }

  /**
   * Pauses all requests after a 429, and halves the rate: once a minute, since requests in flight
   * are refused together.
   *
   * @param requestedMs the pause that the service asks for; the longest of several counts.
   * @returns the time of the pause.
   */
  pause(requestedMs = PAUSE_MS): number {
    const now = this.#clock.now();
    const pauseMs = Math.min(requestedMs, MAX_PAUSE_MS);
    if (this.#halved === undefined || now >= this.#halved.at + MINUTE_MS) {
      const to = Math.max(STEP_SHARE * this.#maxPerMinute, this.#perMinute(now) / 2);
      this.#halved = { at: now, to };
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    return pauseMs;
  }

  /** See {@link RateAllowance}. */
  allowance(withinMs: number): RateAllowance {
    const now = this.#clock.now();
    const waitingCount = this.#requests.size + this.#waiting.size + this.#waiting.pending;
    const requests = this.#startsWithin(withinMs, now) - waitingCount;
    return {
      requests: Math.max(0, requests),
      perMinute: this.#perMinute(now),
      usedShare: this.#startsSince(now - MINUTE_MS).length / this.#maxPerMinute,
      limited: this.#limited(now),
    };
  }

  /**
   * The note for {@link resume} in another process: some hundred bytes, with any number of
   * requests.
   */
  handOver(): z.output<typeof noteShape> {
    const bySecond = Map.groupBy(this.#starts, secondOf);
    return {
      starts: [...bySecond].map(([second, { length }]) => [second, length]),
      pausedUntil: this.#pausedUntil,
      ...(this.#halved && { halved: this.#halved }),
    };
  }

  /**
   * Goes on from the note of a process, unless this one has sent something since: it knows more.
   * Ignores a note that cannot be read, and a pause that is longer than any: the clock of another
   * host was ahead.
   */
  resume(note: unknown): void {
    const { data } = noteShape.safeParse(note);
    const [lastSecond = -1] = data?.starts.at(-1) ?? [];
    if (data === undefined || lastSecond <= secondOf(this.#starts.at(-1) ?? -1)) return;
    const now = this.#clock.now();
    const { starts, pausedUntil, halved } = data;
    // Each start counts as the end of its second.
    this.#starts = starts.flatMap(([second, count]) =>
      Array<number>(count).fill(Math.min(second * 1000 + 999, now)),
    );
    this.#pausedUntil = pausedUntil > now + MAX_PAUSE_MS ? 0 : pausedUntil;
    this.#halved = halved && {
      at: Math.min(halved.at, now),
      to: Math.min(halved.to, this.#maxPerMinute),
    };
  }

  /** When the next request may start; may have passed. */
  #nextStartAt(now: number): number {
    const last = this.#starts.at(-1) ?? -Infinity;
    const oldestInRate = this.#starts.at(-this.#perMinute(now)) ?? -Infinity;
    return Math.max(this.#pausedUntil, oldestInRate + MINUTE_MS, last + this.#spacingMs(now));
  }

  /** Requests that may start within a time from now, those that wait included. */
  #startsWithin(withinMs: number, now: number): number {
    const end = now + withinMs;
    if (this.#pausedUntil >= end) return 0;
    const perMinute = this.#perMinute(now);
    // A request that starts at the end of a minute belongs to the next minute.
    const fullMinutes = Math.max(0, Math.ceil(withinMs / MINUTE_MS) - 1);
    const usedCount = this.#startsSince(end - (fullMinutes + 1) * MINUTE_MS).length;
    const inWindow = fullMinutes * perMinute + Math.max(0, perMinute - usedCount);
    const spacingMs = this.#spacingMs(now);
    if (spacingMs === 0) return inWindow;
    return Math.min(inWindow, Math.ceil((end - Math.max(now, this.#nextStartAt(now))) / spacingMs));
  }

  /** See {@link RateAllowance.limited}. */
  #limited(now: number): RateAllowance['limited'] {
    if (this.#halved === undefined || this.#perMinute(now) >= this.#maxPerMinute) return undefined;
    const { at, to } = this.#halved;
    const stepsLeft = (this.#maxPerMinute - to) / (STEP_SHARE * this.#maxPerMinute);
    return { since: at, until: Math.max(at, this.#pausedUntil) + stepsLeft * MINUTE_MS };
  }

  /** The current rate, at least 1. It grows back from the end of the pause. */
  #perMinute(now: number): number {
    if (this.#halved === undefined) return this.#maxPerMinute;
    const { at, to } = this.#halved;
    const grownMs = Math.max(0, now - Math.max(at, this.#pausedUntil));
    const gained = (STEP_SHARE * this.#maxPerMinute * grownMs) / MINUTE_MS;
    return Math.min(this.#maxPerMinute, Math.max(1, Math.floor(to + gained)));
  }

  #spacingMs(now: number): number {
    const isSpaced = this.#halved !== undefined && now < this.#halved.at + SPACED_MS;
    return isSpaced ? MINUTE_MS / this.#perMinute(now) : 0;
  }

  #startsSince(time: number): number[] {
    return this.#starts.filter((start) => start > time);
  }
}

function secondOf(time: number): number {
  return Math.floor(time / 1000);
}
