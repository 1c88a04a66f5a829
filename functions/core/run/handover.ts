import * as z from 'zod/mini';

/** A time in which the whole service fails. Times are milliseconds since 1970 by our clock. */
export interface Outage {
  readonly since: number;
  /** No list is polled before: the service requested it. */
  readonly retryAt: number;
}

const shape = z.object({
  requests: z.optional(z.string()),
  outage: z.optional(z.object({ since: z.number(), retryAt: z.number() })),
  recoveredAt: z.optional(z.number()),
  failuresInARow: z.optional(z.number()),
});

/**
 * What a run tells the next one, whichever process that is. It is kept with the lease, and losing it is
 * harmless: an outage is found again, and requests are sent up to a minute early.
 */
export interface Handover {
  /** See {@link ServiceApi.recentRequests}. */
  readonly requests?: string | undefined;
  /** Set while the whole service fails. */
  readonly outage?: Outage | undefined;
  /** End of the last outage. */
  readonly recoveredAt?: number | undefined;
  /** Lists that failed since one succeeded. */
  readonly failuresInARow?: number | undefined;
}

export function encodeHandover(handover: Handover): string {
  return JSON.stringify(handover);
}

/** Decodes the output of {@link encodeHandover}. Any other text is an empty handover. */
export function decodeHandover(note: string | undefined): Handover {
  try {
    return shape.safeParse(JSON.parse(note ?? '{}')).data ?? {};
  } catch {
    return {};
  }
}
