import type { RateAllowance } from '../../core/ports/service-api.ts';
import { backoffMs } from '../shared/retry.ts';
import { decodeUsage, encodeUsage, mergeStarts } from './request-usage.ts';

const MINUTE_MS = 60_000;
/** Longest pause after a 429, even if the service requests more. */
const MAX_PAUSE_MS = 3_600_000;
/** Longest pause after refusals in a row, unless the service requests one. */
const MAX_OWN_PAUSE_MS = 60_000;
/** Minutes after which a rate that was halved once is back at its maximum. */
const RECOVERY_MINUTES = 10;
/** Lowest share of the maximum rate. Pauses that the service requests give further relief. */
const MIN_RATE_SHARE = 0.1;
/** Lowest rate, unless the maximum is lower: one list that is refused again and again must leave some to others. */
const MIN_PER_MINUTE = 10;
/** Time in which most requests in flight are answered. */
const IN_FLIGHT_MS = 10_000;

/**
 * Decides when requests may start: so many in any minute, and none during a pause.
 *
 * The window of a minute slides, so that a run that follows another cannot spend the minute twice, in
 * the same process or in another one that was told. A 429 pauses all requests for the time the service
 * asks for and halves the rate, which then recovers by a twentieth of its maximum each minute (AIMD):
 * other users of the same limit get capacity at once, and free capacity is found slowly.
 */
export class RequestRate {
  readonly #maxPerMinute: number;
  /** First pause if the service requests none; doubled with each refusal in a row. */
  readonly #basePauseMs: number;
  /** Start times of the last minute's requests, in order. */
  readonly #startTimes: number[] = [];
  /** When the window lets the next request start. */
  #windowOpensAt = 0;
  #pausedUntil = 0;
  #halvedTo: number;
  #halvedAt = 0;
  /** Further 429s are ignored until then: those requests were sent before the rate was halved. */
  #ignores429Until = 0;
  /** Refusals in a row. */
  #refusalCount = 0;

  constructor(maxPerMinute: number, basePauseMs: number) {
    this.#maxPerMinute = maxPerMinute;
    this.#basePauseMs = basePauseMs;
    this.#halvedTo = maxPerMinute;
  }

  /** When the next request may start; may have passed. */
  get nextStartAt(): number {
    return Math.max(this.#pausedUntil, this.#windowOpensAt);
  }

  countStart(now: number): void {
    this.#startTimes.push(now);
    this.#openWindow(now);
  }

  /** Ends the refusals in a row. */
  countAnswer(): void {
    this.#refusalCount = 0;
  }

  /**
   * Pauses and halves the rate, after a 429. The longest of several pauses counts.
   *
   * @returns the time of the pause.
   */
  pause(requestedMs: number | undefined, now: number): number {
    const policy = { baseDelayMs: this.#basePauseMs, maxDelayMs: MAX_OWN_PAUSE_MS };
    // A refusal during a pause belongs to the one that began it.
    if (this.#refusalCount === 0 || now >= this.#pausedUntil) this.#refusalCount += 1;
    const ownMs = backoffMs(this.#refusalCount, policy);
    const pauseMs = Math.min(requestedMs ?? ownMs, MAX_PAUSE_MS);
    this.halve(now, pauseMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    return pauseMs;
  }

  /**
   * Halves the rate, after a 429: once for all requests that are in flight.
   *
   * @param pauseMs time from now in which no request starts.
   */
  halve(now: number, pauseMs = 0): void {
    if (this.#ignores429Until <= now) {
      const lowest = Math.max(MIN_PER_MINUTE, this.#maxPerMinute * MIN_RATE_SHARE);
      this.#halvedTo = Math.max(lowest, this.#perMinute(now) / 2);
      this.#halvedAt = now + pauseMs;
      this.#ignores429Until = now + IN_FLIGHT_MS;
    }
    this.#ignores429Until = Math.max(this.#ignores429Until, now + pauseMs);
  }

  /** @param waitingCount requests that wait already. */
  allowance(withinMs: number, waitingCount: number, now: number): RateAllowance {
    const perMinute = this.#perMinute(now);
    const { nextStartAt } = this;
    const sentCount = this.#startTimes.length - this.#countStartsUntil(now - MINUTE_MS);
    const rate = { perMinute, usedShare: sentCount / this.#maxPerMinute, nextStartAt };
    if (this.#pausedUntil >= now + withinMs) return { requests: 0, ...rate };
    // A request that starts at the end of a minute belongs to the next minute.
    const fullMinutes = Math.max(0, Math.ceil(withinMs / MINUTE_MS) - 1);
    const windowStart = now + withinMs - (fullMinutes + 1) * MINUTE_MS;
    const usedCount = this.#startTimes.length - this.#countStartsUntil(windowStart);
    const requests = fullMinutes * perMinute + Math.max(0, perMinute - usedCount);
    return { requests: Math.max(0, requests - waitingCount), ...rate };
  }

  /** The requests of the last minute, and the pause, for {@link resume} in another process. */
  recentRequests(now: number): string {
    return encodeUsage({
      startTimes: this.#startTimes.slice(this.#countStartsUntil(now - MINUTE_MS)),
      pausedUntil: this.#pausedUntil,
      halvedTo: this.#halvedTo,
      halvedAt: this.#halvedAt,
    });
  }

  /** Counts what another process has spent. A text that cannot be read is ignored. */
  resume(recentRequests: string, now: number): void {
    const usage = decodeUsage(recentRequests);
    if (usage === undefined) return;
    const merged = mergeStarts(this.#startTimes, usage.startTimes);
    // The clock of another host may have been ahead, or ours.
    this.#startTimes.splice(0, Infinity, ...merged.map((time) => Math.min(time, now)));
    if (usage.halvedAt > this.#halvedAt) {
      this.#halvedAt = usage.halvedAt;
      this.#halvedTo = Math.min(this.#maxPerMinute, usage.halvedTo);
    }
    const pauses = [this.#pausedUntil, usage.pausedUntil];
    // A pause that is longer than any is void: if the service still refuses, it says so again.
    this.#pausedUntil = Math.max(...pauses.filter((until) => until <= now + MAX_PAUSE_MS), 0);
    // The rate recovers from the end of the pause.
    this.#halvedAt = Math.min(this.#halvedAt, Math.max(now, this.#pausedUntil));
    this.#openWindow(now);
  }

  /** The current rate: at least 1, so that it can recover. */
  #perMinute(now: number): number {
    const minutes = Math.max(0, now - this.#halvedAt) / MINUTE_MS;
    const recovered = (this.#maxPerMinute / 2 / RECOVERY_MINUTES) * minutes;
    return Math.min(this.#maxPerMinute, Math.max(1, Math.floor(this.#halvedTo + recovered)));
  }

  #openWindow(now: number): void {
    this.#startTimes.splice(0, this.#countStartsUntil(now - MINUTE_MS));
    const oldestInRate = this.#startTimes.at(-this.#perMinute(now));
    this.#windowOpensAt = oldestInRate === undefined ? now : oldestInRate + MINUTE_MS;
  }

  #countStartsUntil(time: number): number {
    // From the front: old times are removed, so few are passed over.
    const index = this.#startTimes.findIndex((start) => start > time);
    return index === -1 ? this.#startTimes.length : index;
  }
}
