import * as z from 'zod/mini';
import type { RateAllowance } from '../ports/service-api.ts';

/** A time in which service or network fail, and nothing is read. */
export interface Outage {
  /** In milliseconds since 1970 by our clock. */
  readonly since: number;
  /** The last failure of a list, cut. */
  readonly cause: string;
}

const number = z.number();
const text = z.string();

const shape = z.object({
  api: z.optional(text),
  outage: z.optional(z.object({ since: number, cause: text })),
  limited: z.optional(z.object({ since: number, until: number })),
  polledAllAt: z.optional(number),
  token: z.optional(text),
});

/**
 * What a run tells the next one of its shard, whichever process that is. It is kept with the poll
 * history, at the end of a run. Losing it does little harm: an outage begins anew, and requests are
 * sent up to a minute early.
 */
export interface Handover {
  /** See {@link ServiceApi.handOver}. */
  readonly api?: string | undefined;
  /** Set while service or network fail, and nothing is read. */
  readonly outage?: Outage | undefined;
  /** See {@link RateAllowance.limited}, for the status. */
  readonly limited?: RateAllowance['limited'];
  /** Start of the last run that polled every list that was due, for the status. */
  readonly polledAllAt?: number | undefined;
  /** What was wrong with the refresh token when it was last used, for the status. */
  readonly token?: 'missing' | 'refused' | undefined;
}

/**
 * Reads the note of a poll history, see {@link noteIn}. Anything else is an empty handover.
 *
 * The clock of the run's host may have been ahead: a past that lies ahead of now counts as now.
 *
 * @param now milliseconds since 1970.
 */
export function decodeHandover(note: unknown, now: number): Handover {
  const handover = parse(note);
  const { outage } = handover;
  return {
    ...handover,
    ...(outage && { outage: { ...outage, since: Math.min(outage.since, now) } }),
  };
}

function parse(note: unknown): Handover {
  return (shape.safeParse(note).data ?? {}) as Handover;
}
