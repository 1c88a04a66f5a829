import { createHash } from 'node:crypto';
import * as z from 'zod/mini';

/** Wait before a refused token is sent again; doubled with each refusal. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 15 * 60_000;

const shape = z.object({
  /** Distinguishes tokens, and reveals nothing of them. */
  digest: z.string(),
  count: z.number(),
  retryAt: z.number(),
  /** Whether an exchange of this token answered with a new one. */
  isReplaced: z.boolean(),
});

type Refusal = z.output<typeof shape>;

/**
 * Remembers the refresh token that was refused last, also across processes. It is sent again after
 * 1, 2, 4 … 15 minutes: an endpoint may lock out a client that keeps sending a wrong one. A new
 * token is sent at once.
 *
 * Also remembers an accepted token that an exchange replaced: its refusal is to be expected.
 */
export class TokenRefusals {
  readonly #now: () => number;
  #last: Refusal | undefined;

  /** @param now milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** When this token may be sent, in milliseconds since 1970; 0 when it was not refused. */
  retryAt(token: string): number {
    return this.#lastOf(token)?.retryAt ?? 0;
  }

  mustWait(token: string): boolean {
    const waitMs = this.retryAt(token) - this.#now();
    // A wait that is longer than any is void: a clock was ahead.
    return waitMs > 0 && waitMs <= MAX_WAIT_MS;
  }

  isReplaced(token: string): boolean {
    return this.#lastOf(token)?.isReplaced ?? false;
  }

  add(token: string): void {
    const { count = 0, isReplaced = false } = this.#lastOf(token) ?? {};
    const retryAt = this.#now() + Math.min(FIRST_WAIT_MS * 2 ** count, MAX_WAIT_MS);
    this.#last = { digest: digestOf(token), count: count + 1, retryAt, isReplaced };
  }

  accept(token: string, isReplaced: boolean): void {
    this.#last = isReplaced
      ? { digest: digestOf(token), count: 0, retryAt: 0, isReplaced }
      : undefined;
  }

  handOver(): Refusal | undefined {
    return this.#last;
  }

  /** Goes on with the refusal of another process. A note that cannot be read is ignored. */
  resume(note: unknown): void {
    const { data } = shape.safeParse(note);
    if (data !== undefined && data.retryAt > (this.#last?.retryAt ?? -1)) this.#last = data;
  }

  #lastOf(token: string): Refusal | undefined {
    return this.#last?.digest === digestOf(token) ? this.#last : undefined;
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}
