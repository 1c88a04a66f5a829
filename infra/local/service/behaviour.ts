import { z } from 'zod';

const probability = z.number().min(0).max(1);
const milliseconds = z.int().min(0);

/** Which requests a fault hits. All conditions must hold; without any it hits all requests. */
const aim = {
  /** `GET`, `POST`, `PATCH` or `PUT`; absent: any. */
  method: z.enum(['GET', 'POST', 'PATCH', 'PUT']).optional(),
  /** Path below the origin, without the query, where a star stands for any text. Absent: any. */
  path: z.string().startsWith('/').optional(),
  /** Hits so many requests and is gone; absent: stays until removed. */
  next: z.int().min(1).optional(),
  /** Hits a matching request with this probability; absent: every one. */
  probability: probability.optional(),
};

/** Checks a {@link Fault}. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Answers with this error status instead of working: 401, 403, 404, 429, 500, 503 … */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    /** `Retry-After` in seconds. */
    retryAfter: z.int().min(0).optional(),
    ...aim,
  }),
  /** Waits before working. */
  z.strictObject({ kind: z.literal('slow'), delayMs: milliseconds, ...aim }),
  /** Closes the connection without an answer, before working. */
  z.strictObject({ kind: z.literal('disconnect'), ...aim }),
  /** Works, but cuts the answer's body in half. */
  z.strictObject({ kind: z.literal('cut_body'), ...aim }),
  /** Works, but puts the answer's body into an object: `{ "data": … }`. */
  z.strictObject({ kind: z.literal('wrap_body'), ...aim }),
  /** Works, but leaves a header out of the answer, or gives it another value. */
  z.strictObject({
    kind: z.literal('header'),
    name: z.enum(['X-Count', 'X-Has-More', 'X-Last-Synced-At', 'Date']),
    /** Null leaves it out. */
    value: z.string().nullable(),
    ...aim,
  }),
]);

/** Checks {@link ServiceBehaviour} and fills in the defaults. */
export const behaviourSchema = z.strictObject({
  /** Lists return what changed after `last_synced_at` (`>`), or also exactly then (`>=`). */
  cursorFilter: z.enum(['>', '>=']).default('>'),
  /**
   * `X-Last-Synced-At` of an empty page: the `last_synced_at` of the request if there was one
   * (`echo`), the time of the answer (`now`), or no header (`absent`).
   */
  emptyPageCursor: z.enum(['echo', 'now', 'absent']).default('echo'),
  /** A `Service-Per-Page` over 1000: taken as 1000 (`clamp`), or answered with 400 (`reject`). */
  perPageOverMaximum: z.enum(['clamp', 'reject']).default('clamp'),
  /** Lists below a deleted project: answered as before, or with 404. */
  deletedProjectLists: z.enum(['answer', 'not_found']).default('answer'),
  /** A deleted item in its checklist: nested with its `deleted_at` (`marked`), or left out. */
  deletedItems: z.enum(['marked', 'left_out']).default('marked'),
  /** Rounds `updated_at` down to a multiple of this, so that many entities share one. 1: does not. */
  roundTimestampsMs: z.int().min(1).default(1),
  /**
   * A change becomes visible only `delayMs` after its `updated_at`, with this probability. Until
   * then readers see the version before it.
   */
  lateCommits: z
    .strictObject({ probability: probability.default(0), delayMs: milliseconds.default(5000) })
    .default({ probability: 0, delayMs: 5000 }),
  /** How long access tokens issued from now on are good, in seconds. */
  accessTokenSeconds: z.number().positive().default(900),
  /** What goes wrong, in the order in which it is looked at. */
  faults: z.array(faultSchema).default(() => []),
});

/**
 * What the service does where the spec leaves it open, and what goes wrong. May be changed at any
 * time; see `docs/simulated-service.md`.
 */
export type ServiceBehaviour = z.infer<typeof behaviourSchema>;

/** Switches to set; what is absent has its default. */
export type ServiceBehaviourInput = z.input<typeof behaviourSchema>;

/** Something that goes wrong, and for which requests. */
export type Fault = z.infer<typeof faultSchema>;
