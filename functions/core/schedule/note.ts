import * as z from 'zod/mini';

const time = z.number();

/** The fields of a {@link Note}. Times are milliseconds since 1970. */
export const noteShape = z.object({
  /** See {@link ServiceApi.handOver}. */
  api: z.optional(z.string()),
  /** Set while service or network fail, and nothing is read. The cause is cut. */
  outage: z.optional(z.object({ since: time, cause: z.string() })),
  /** Set after a 429, for the status. */
  limited: z.optional(z.object({ since: time, until: time })),
  /** Start of the last run that polled every list that was due, for the status. */
  polledAllAt: z.optional(time),
  /** Problem of the refresh token when it was last used, for the status. */
  token: z.optional(z.enum(['missing', 'refused'])),
});

/**
 * The note of a run for the next one of its shard. It is saved with the poll history. Its loss does
 * little harm: an outage begins anew, and requests are sent before the service's pause is over.
 */
export type Note = Readonly<z.infer<typeof noteShape>>;

export type Outage = NonNullable<Note['outage']>;
