import { createHash } from 'node:crypto';
import * as z from 'zod/mini';

/** Wait before a refused token is sent again; doubled with each refusal. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 15 * 60_000;

const shape = z.object({
  digest: z.string(),
  count: z.number(),
  retryAt: z.number(),
  /** Whether an exchange of this token answered with a new one. */
  isReplaced: z.optional(z.boolean()),
});

type Refusal = z.output<typeof shape>;

/**
 * The refresh token that was refused last. It is not sent again at once, nor on every tick: an endpoint may
 * lock out a client that keeps sending a wrong one. A new token is sent at once.
 *
 * Also keeps an accepted token that an exchange replaced: its refusal is to be expected.
 */
export class TokenRefusals {
  readonly #now: () => number;
  #last: Refusal | undefined;

  /** @param now milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** When this token may be sent, in milliseconds since 1970; undefined when it was not refused. */
  retryAt(token: string): number | undefined {
    if (this.#last?.digest !== digestOf(token)) return undefined;
    const { retryAt } = this.#last;
    // Our clock was ahead: a wait that is longer than any is void.
    return retryAt > this.#now() + MAX_WAIT_MS ? undefined : retryAt;
  }

  add(token: string): void {
    const digest = digestOf(token);
    const last = this.#last?.digest === digest ? this.#last : undefined;
    const count = (last?.count ?? 0) + 1;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS);
    this.#last = { ...last, digest, count, retryAt: this.#now() + waitMs };
  }

  /** Forgets refusals: the token was accepted. */
  accept(token: string, isReplaced: boolean): void {
    this.#last = isReplaced
      ? { digest: digestOf(token), count: 0, retryAt: 0, isReplaced }
      : undefined;
  }

  isReplaced(token: string): boolean {
    return this.#last?.digest === digestOf(token) && this.#last.isReplaced === true;
  }

  /** For {@link resume} in another process. */
  encode(): string | undefined {
    return this.#last && JSON.stringify(this.#last);
  }

  /** Goes on with the refusals of another process. A text that cannot be read is ignored. */
  resume(encoded: string): void {
    const told = parse(encoded);
    if (told === undefined || (this.#last?.retryAt ?? -1) >= told.retryAt) return;
    // The clock of the other process may have been ahead.
    const retryAt = Math.min(told.retryAt, this.#now() + MAX_WAIT_MS);
    this.#last = { ...told, retryAt };
  }
}

function parse(encoded: string): Refusal | undefined {
  try {
    return shape.safeParse(JSON.parse(encoded)).data;
  } catch {
    return undefined;
  }
}

/** Tells tokens apart and nothing of them. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}
