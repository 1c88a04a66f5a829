import PQueue from 'p-queue';
import { RateLimitedError } from '../../core/model/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import { Attempt } from '../shared/attempt.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
import type { ServiceApiOptions } from './options.ts';
import { RequestRate } from './request-rate.ts';

/** Limits of all requests of one client together, each at least 1. */
type RequestLimits = Required<Pick<ServiceApiOptions, 'requestsPerMinute' | 'concurrency'>>;

/** How one request is run. */
export interface RequestOptions {
  /** Time of the request once it has started; it then fails with {@link AttemptTimeoutError}. */
  readonly timeoutMs: number;
  /** See {@link PageRequest.startBefore}. */
  readonly startBefore?: number | undefined;
  /** Takes the request out of the queue, or aborts it in flight. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Starts requests in the order of their calls: so many at once, and when {@link RequestRate} allows
 * it.
 */
export class RequestLimiter {
  readonly #rate: RequestRate;
  readonly #clock: Clock;
  /** Requests in flight, and those next to start. */
  readonly #requests: PQueue;
  /** The request that waits for its time to start, and those behind it. */
  readonly #starts = new PQueue({ concurrency: 1 });

  constructor({ requestsPerMinute, concurrency }: RequestLimits, clock: Clock) {
    this.#rate = new RequestRate(requestsPerMinute);
    this.#requests = new PQueue({ concurrency });
    this.#clock = clock;
  }

  /**
   * Sends a request as soon as the limits allow it.
   *
   * @throws RateLimitedError when they do not allow it in time.
   * @throws the signal's reason once it is aborted.
   */
  async run<T>(
    send: (attempt: Attempt) => Promise<T>,
    { timeoutMs, startBefore = Infinity, signal }: RequestOptions,
  ): Promise<T> {
    signal?.throwIfAborted();
    const sent = this.#requests.add(async () => {
      await this.#starts.add(() => this.#waitForStart(startBefore, signal));
      return new Attempt(timeoutMs, signal).run(send);
    });
    return unlessAborted(sent, signal);
  }

  /** Holds back all requests, and lowers the rate, after a 429. @returns the time of the pause. */
  pause(requestedMs: number | undefined): number {
    return this.#rate.pause(requestedMs, this.#clock.now());
  }

  allowance(withinMs: number): RateAllowance {
    const waitingCount = this.#requests.size + this.#starts.size + this.#starts.pending;
    return this.#rate.allowance(withinMs, waitingCount, this.#clock.now());
  }

  /** Counts a request that starts now without waiting for its turn. */
  countStart(): void {
    this.#rate.countStart(this.#clock.now());
  }

  /** See {@link ServiceApi.handOver}. */
  handOver(): string {
    return this.#rate.encode(this.#clock.now());
  }

  /** See {@link ServiceApi.resume}. */
  resume(note: string): void {
    this.#rate.resume(note, this.#clock.now());
  }

  async #waitForStart(startBefore: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#clock.now();
      const startsAt = this.#rate.nextStartAt(now);
      if (startsAt <= now) break;
      if (startsAt >= startBefore) {
        throw new RateLimitedError('A request was not sent: the request budget is spent', {
          hint: 'The next run continues. Raise requestsPerMinute if you may.',
        });
      }
      // A pause may begin meanwhile.
      await this.#clock.sleep(startsAt - now, signal);
    }
    this.#rate.countStart(this.#clock.now());
  }
}
