import * as z from 'zod/mini';
import { MAX_BACKOFF_MS } from '../feeds/feed-lifecycle.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import type { KnownDate } from '../paging/service-time.ts';

/** A time in which the whole service fails. Times are milliseconds since 1970 by our clock. */
export interface Outage {
  readonly since: number;
  /** No list that was due at the last probe is polled before: the service requested it. */
  readonly retryAt: number;
  /** When the lists of the last probe were chosen. A list that is due since then was not meant, and is probed before `retryAt`. */
  readonly probedAt?: number | undefined;
  /** The last failure of a list, cut. */
  readonly cause?: string | undefined;
}

const number = z.number();
const text = z.string();

const shape = z.object({
  api: z.optional(text),
  outage: z.optional(
    z.object({
      since: number,
      retryAt: number,
      probedAt: z.optional(number),
      cause: z.optional(text),
    }),
  ),
  recoveredAt: z.optional(number),
  failuresInARow: z.optional(number),
  knownDate: z.optional(z.object({ date: text, at: number, undated: z._default(number, 0) })),
  polledAllAt: z.optional(number),
  token: z.optional(text),
});

/**
 * What a run tells the next one of its shard, whichever process that is. It is kept with the poll history, at the end
 * of a run. Losing it does little harm: an outage is found again, requests are sent up to a minute early, and
 * answers are undated until the first `Date`.
 */
export interface Handover {
  /** See {@link ServiceApi.handOver}. */
  readonly api?: string | undefined;
  /** Set while the whole service fails. */
  readonly outage?: Outage | undefined;
  /** End of the last outage. */
  readonly recoveredAt?: number | undefined;
  /** Lists that failed since one succeeded. */
  readonly failuresInARow?: number | undefined;
  /** The last known `Date` of the service. */
  readonly knownDate?: KnownDate | undefined;
  /** Start of the last run that polled every list that was due, for the status. */
  readonly polledAllAt?: number | undefined;
  /** What was wrong with the refresh token when it was last used, for the status. */
  readonly token?: 'missing' | 'refused' | undefined;
}

/**
 * Reads the note of a poll history, see {@link noteIn}. Anything else is an empty handover.
 *
 * The clock of the run's host may have been ahead. A past that lies ahead of now counts as now; a wait that
 * is longer than any is void, since a probe shows at once what it was for.
 *
 * @param now milliseconds since 1970.
 */
export function decodeHandover(note: unknown, now: number): Handover {
  const handover = parse(note);
  const { outage, recoveredAt, knownDate } = handover;
  return {
    ...handover,
    ...(outage && {
      outage: {
        ...outage,
        since: Math.min(outage.since, now),
        retryAt: outage.retryAt > now + MAX_BACKOFF_MS ? now : outage.retryAt,
        probedAt: Math.min(outage.probedAt ?? now, now),
      },
    }),
    ...(recoveredAt !== undefined && { recoveredAt: Math.min(recoveredAt, now) }),
    ...(knownDate && { knownDate: { ...knownDate, at: Math.min(knownDate.at, now) } }),
  };
}

function parse(note: unknown): Handover {
  const { knownDate, ...others } = shape.safeParse(note).data ?? {};
  const date = parseTimestamp(knownDate?.date);
  const dated = knownDate && date && { knownDate: { ...knownDate, date } };
  return { ...others, ...dated } as Handover;
}
