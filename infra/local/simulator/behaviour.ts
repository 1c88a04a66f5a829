import { z } from 'zod';

const probability = z.number().min(0).max(1);
const milliseconds = z.int().min(0);

/** Conditions of a fault, all of which must hold. Without any, the fault hits every request. */
const aim = {
  /** Absent: any. */
  method: z.enum(['GET', 'POST', 'PATCH', 'PUT']).optional(),
  /** Path without origin and query; `*` matches any text. Absent: any. */
  path: z.string().startsWith('/').optional(),
  /** Number of requests to hit before it is removed; absent: unlimited. */
  next: z.int().min(1).optional(),
  /** Probability of hitting a matching request; absent: 1. */
  probability: probability.optional(),
};

export const faultSchema = z.discriminatedUnion('kind', [
  /** Answers with this error status instead of serving the request. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    /** `Retry-After` in seconds. */
    retryAfter: z.int().min(0).optional(),
    ...aim,
  }),
  /** Waits before serving the request. */
  z.strictObject({ kind: z.literal('slow'), delayMs: milliseconds, ...aim }),
  /** Closes the connection without serving the request. */
  z.strictObject({ kind: z.literal('disconnect'), ...aim }),
  /** Serves the request, but cuts the answer's body in half. */
  z.strictObject({ kind: z.literal('cut_body'), ...aim }),
  /** Serves the request, but wraps the answer's body: `{ "data": … }`. */
  z.strictObject({ kind: z.literal('wrap_body'), ...aim }),
  /** Answers a list with a good page that shows nothing, although there are entities. */
  z.strictObject({ kind: z.literal('empty_list'), ...aim }),
  /** Answers a list with a page whose last entity has a `deleted_at` that is no time. */
  z.strictObject({ kind: z.literal('invalid_entity'), ...aim }),
  /** Serves the request, but removes or replaces a header of the answer. */
  z.strictObject({
    kind: z.literal('header'),
    name: z.enum(['X-Count', 'X-Has-More', 'X-Last-Synced-At', 'Date']),
    /** Null removes the header. */
    value: z.string().nullable(),
    ...aim,
  }),
]);

/** Checks {@link ServiceBehaviour} and fills in the defaults. */
export const behaviourSchema = z.strictObject({
  /** Lists return entities changed after `last_synced_at` (`>`), or at and after it (`>=`). */
  cursorFilter: z.enum(['>', '>=']).default('>'),
  /**
   * `X-Last-Synced-At` of an empty page: the `last_synced_at` of the request if there was one
   * (`echo`), the time of the answer (`now`), or no header (`absent`).
   */
  emptyPageCursor: z.enum(['echo', 'now', 'absent']).default('echo'),
  /** A `Service-Per-Page` over 1000: read as 1000 (`clamp`), or answered with 400 (`reject`). */
  perPageOverMaximum: z.enum(['clamp', 'reject']).default('clamp'),
  /** Names of the request headers with the version and with the size of a page. */
  headers: z
    .object({
      version: z.string().default('Service-Version'),
      perPage: z.string().default('Service-Per-Page'),
    })
    .default({ version: 'Service-Version', perPage: 'Service-Per-Page' }),
  /** Lists below a deleted project: answered normally, or with 404. */
  deletedProjectLists: z.enum(['answer', 'not_found']).default('answer'),
  /** A deleted item in its checklist: nested with its `deleted_at` (`marked`), or removed. */
  deletedItems: z.enum(['marked', 'left_out']).default('marked'),
  /** Rounds `updated_at` down to a multiple of this, so that entities share timestamps. */
  roundTimestampsMs: z.int().min(1).default(1),
  /**
   * Stores times with microseconds, and filters by them. `updated_at` shows milliseconds, cut: entities
   * of one millisecond are stored apart, in the order of their ids.
   */
  storesMicroseconds: z.boolean().default(false),
  /**
   * With this probability a change becomes visible only `delayMs` after its `updated_at`. Until
   * then readers see the previous version.
   */
  lateCommits: z
    .strictObject({ probability: probability.default(0), delayMs: milliseconds.default(5000) })
    .default({ probability: 0, delayMs: 5000 }),
  /** Lifetime of access tokens issued from now on, in seconds. */
  accessTokenSeconds: z.number().positive().default(900),
  /** Faults in the order of their application. */
  faults: z.array(faultSchema).default(() => []),
});

/**
 * Choices that the spec leaves open, and injected faults. May change at any time; see
 * `docs/simulated-service.md`.
 */
export type ServiceBehaviour = z.infer<typeof behaviourSchema>;

/** Behaviour to set; absent fields have their defaults. */
export type ServiceBehaviourInput = z.input<typeof behaviourSchema>;

export type Fault = z.infer<typeof faultSchema>;
