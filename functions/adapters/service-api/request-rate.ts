import * as z from 'zod/mini';
import type { RateAllowance } from '../../core/ports/service-api.ts';

const MINUTE_MS = 60_000;
/** Time after a 429 in which starts are spaced. */
const SPACED_MS = 24 * 3_600_000;
/** Before all times. */
const NEVER = -SPACED_MS;
/** Pause after a 429 that names none. */
const PAUSE_MS = 30_000;
/** Longest pause, even if the service asks for more. */
const MAX_PAUSE_MS = 3_600_000;
/** Share of the maximum rate that a lowered rate gains each minute. It never falls below it. */
const STEP_SHARE = 0.1;
/** More than any service allows in a second: a note with more is broken. */
const MAX_STARTS = 100_000;

const noteShape = z.object({
  /** Requests by the second in which they started, since 1970. */
  starts: z.array(z.tuple([z.number(), z.number()])),
  lastStartAt: z.number(),
  pausedUntil: z.number(),
  /** When the rate was halved last, and to how many requests a minute. */
  halvedAt: z.number(),
  halvedTo: z.number(),
});

/**
 * Decides when requests may start. All times are milliseconds since 1970.
 *
 * - So many in any 60 seconds, also across runs: {@link encode} tells the next process of them.
 * - None in a pause after a 429.
 * - A 429 halves the rate, which grows back by a tenth of its maximum a minute.
 * - For a day after a 429, starts are spaced evenly: services also count by the second. Not always:
 *   each run would last the whole minute.
 */
export class RequestRate {
  readonly #maxPerMinute: number;
  /** Starts of the last minute, in order. */
  #starts: number[] = [];
  #lastStartAt = NEVER;
  #pausedUntil = NEVER;
  #halvedAt = NEVER;
  #halvedTo: number;

  constructor(maxPerMinute: number) {
    this.#maxPerMinute = maxPerMinute;
    this.#halvedTo = maxPerMinute;
  }

  /** When the next request may start; may have passed. */
  nextStartAt(now: number): number {
    const spacedFrom = this.#lastStartAt + this.#spacingMs(now);
    return Math.max(this.#pausedUntil, this.#windowOpensAt(now), spacedFrom);
  }

  countStart(now: number): void {
    this.#lastStartAt = now;
    this.#starts.push(now);
    const oldCount = this.#starts.findIndex((start) => start > now - MINUTE_MS);
    this.#starts.splice(0, oldCount);
  }

  /**
   * Pauses, and halves the rate: once a minute, since requests in flight are refused together.
   *
   * @param requestedMs what the service asks for; the longest of several pauses counts.
   * @returns the time of the pause.
   */
  pause(requestedMs: number | undefined, now: number): number {
    const pauseMs = Math.min(requestedMs ?? PAUSE_MS, MAX_PAUSE_MS);
    if (now >= this.#halvedAt + MINUTE_MS) {
      this.#halvedTo = Math.max(STEP_SHARE * this.#maxPerMinute, this.#perMinute(now) / 2);
      this.#halvedAt = now;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    return pauseMs;
  }

  /** @param waitingCount requests that wait already. */
  allowance(withinMs: number, waitingCount: number, now: number): RateAllowance {
    const perMinute = this.#perMinute(now);
    const nextStartAt = this.nextStartAt(now);
    const usedShare = this.#startsSince(now - MINUTE_MS).length / this.#maxPerMinute;
    const end = now + withinMs;
    const isPaused = this.#pausedUntil >= end;
    // A request that starts at the end of a minute belongs to the next minute.
    const fullMinutes = Math.max(0, Math.ceil(withinMs / MINUTE_MS) - 1);
    const usedCount = this.#startsSince(end - (fullMinutes + 1) * MINUTE_MS).length;
    const inWindow = fullMinutes * perMinute + Math.max(0, perMinute - usedCount);
    const spacingMs = this.#spacingMs(now);
    const firstAt = Math.max(now, nextStartAt);
    const inTime = spacingMs === 0 ? Infinity : Math.ceil((end - firstAt) / spacingMs);
    const requests = isPaused ? 0 : Math.min(inWindow, inTime) - waitingCount;
    const limited = this.#limited(perMinute);
    return { requests: Math.max(0, requests), perMinute, usedShare, nextStartAt, limited };
  }

  /** See {@link RateAllowance.limited}. */
  #limited(perMinute: number): RateAllowance['limited'] {
    if (perMinute >= this.#maxPerMinute) return undefined;
    const stepsLeft = (this.#maxPerMinute - this.#halvedTo) / (STEP_SHARE * this.#maxPerMinute);
    const growsFrom = Math.max(this.#halvedAt, this.#pausedUntil);
    return { since: this.#halvedAt, until: growsFrom + stepsLeft * MINUTE_MS };
  }

  /** What {@link resume} needs in another process: some hundred bytes, however many requests. */
  encode(now: number): string {
    const bySecond = Map.groupBy(this.#startsSince(now - MINUTE_MS), secondOf);
    const note: z.output<typeof noteShape> = {
      starts: [...bySecond].map(([second, { length }]) => [second, length]),
      lastStartAt: this.#lastStartAt,
      pausedUntil: this.#pausedUntil,
      halvedAt: this.#halvedAt,
      halvedTo: this.#halvedTo,
    };
    return JSON.stringify(note);
  }

  /**
   * Goes on from what a process has encoded, unless this one has sent something since: it knows
   * more. Ignores a text that cannot be read, and a pause that is longer than any: the clock of
   * another host was ahead.
   */
  resume(encoded: string, now: number): void {
    const note = parseNote(encoded);
    const lastStartAt = Math.min(note?.lastStartAt ?? NEVER, now);
    if (note === undefined || lastStartAt <= this.#lastStartAt) return;
    this.#lastStartAt = lastStartAt;
    // Each start counts as the end of its second.
    this.#starts = note.starts.flatMap(([second, count]) =>
      Array<number>(Math.min(count, MAX_STARTS)).fill(Math.min(second * 1000 + 999, now)),
    );
    this.#pausedUntil = note.pausedUntil > now + MAX_PAUSE_MS ? NEVER : note.pausedUntil;
    this.#halvedAt = Math.min(note.halvedAt, now);
    this.#halvedTo = Math.min(note.halvedTo, this.#maxPerMinute);
  }

  /** The current rate, at least 1. It grows back from the end of the pause. */
  #perMinute(now: number): number {
    const grownMs = Math.max(0, now - Math.max(this.#halvedAt, this.#pausedUntil));
    const gained = (STEP_SHARE * this.#maxPerMinute * grownMs) / MINUTE_MS;
    const perMinute = Math.floor(this.#halvedTo + gained);
    return Math.min(this.#maxPerMinute, Math.max(1, perMinute));
  }

  #spacingMs(now: number): number {
    const isSpaced = now < this.#halvedAt + SPACED_MS;
    return isSpaced ? MINUTE_MS / this.#perMinute(now) : 0;
  }

  #windowOpensAt(now: number): number {
    const oldestInRate = this.#starts.at(-this.#perMinute(now)) ?? -Infinity;
    return oldestInRate + MINUTE_MS;
  }

  #startsSince(time: number): number[] {
    return this.#starts.filter((start) => start > time);
  }
}

function secondOf(time: number): number {
  return Math.floor(time / 1000);
}

function parseNote(encoded: string): z.output<typeof noteShape> | undefined {
  try {
    return noteShape.safeParse(JSON.parse(encoded)).data;
  } catch {
    return undefined;
  }
}
