const MINUTE_MS = 60_000;
/** Minutes in which a rate that was halved once is whole again. */
const RECOVERY_MINUTES = 10;
/** What is left of the rate at the least: the pauses that a service asks for do the rest. */
const LEAST = 0.1;

/**
 * How many requests may begin in any minute. A refusal for too many halves it, and it recovers by a
 * twentieth of what the operator allows each minute: whoever else uses the same limit gets room at
 * once, and what is free again is found out slowly. Times in milliseconds since 1970.
 */
export class RequestRate {
  readonly #most: number;
  /** When requests of the last minute began, in order. */
  readonly #begun: number[] = [];
  #halvedTo: number;
  #halvedAt = 0;

  /** @param most requests in any minute that the operator allows. */
  constructor(most: number) {
    this.#most = most;
    this.#halvedTo = most;
  }

  /** Requests that may begin in a minute: a tenth of what is allowed at the least, and never none. */
  perMinute(now: number): number {
    const minutes = Math.max(0, now - this.#halvedAt) / MINUTE_MS;
    const recovered = (this.#most / 2 / RECOVERY_MINUTES) * minutes;
    return Math.min(this.#most, Math.max(1, Math.floor(this.#halvedTo + recovered)));
  }

  /** Halves the rate; it recovers when the pause is over. */
  halve(now: number, pauseMs: number): void {
    this.#halvedTo = Math.max(this.#most * LEAST, this.perMinute(now) / 2);
    this.#halvedAt = now + pauseMs;
  }

  /**
   * Takes in that a request begins.
   *
   * @returns when the next one may begin.
   */
  begin(now: number): number {
    this.#begun.splice(0, this.#begunBy(now - MINUTE_MS));
    this.#begun.push(now);
    const perMinute = this.perMinute(now);
    // The whole rate is what the queue sees to.
    const first = perMinute < this.#most ? this.#begun.at(-perMinute) : undefined;
    return first === undefined ? now : first + MINUTE_MS;
  }

  /** Requests that may begin in a time from now on. */
  left(now: number, withinMs: number): number {
    const perMinute = this.perMinute(now);
    // What begins when a minute is over belongs to the next one.
    const minutes = Math.max(0, Math.ceil(withinMs / MINUTE_MS) - 1);
    const rest = withinMs - minutes * MINUTE_MS;
    const stillCount = this.#begun.length - this.#begunBy(now + rest - MINUTE_MS);
    return minutes * perMinute + Math.max(0, perMinute - stillCount);
  }

  /** How many of them began by then. They are in order. */
  #begunBy(time: number): number {
    let [low, high] = [0, this.#begun.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#begun[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
