import { z } from 'zod';

const milliseconds = z.int().min(0);

/** Conditions of a fault, which must both hold. Without any, the fault hits every request. */
const aim = {
  /** Path without origin and query; `*` matches any text. Absent: any. */
  path: z.string().startsWith('/').optional(),
  /** Number of requests to hit before it is removed; absent: unlimited. */
  next: z.int().min(1).optional(),
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
  /** Answers a list with a good page that shows nothing, although there are entities. */
  z.strictObject({ kind: z.literal('empty_list'), ...aim }),
  /** Answers a list with a page whose last entity has a `deleted_at` that is no time. */
  z.strictObject({ kind: z.literal('invalid_entity'), ...aim }),
]);

/** Checks {@link Behaviour} and fills in the defaults. */
export const behaviourSchema = z.strictObject({
  /** Lists return entities changed after `last_synced_at` (`>`), or at and after it (`>=`). */
  cursorFilter: z.enum(['>', '>=']).default('>'),
  /** Names of the request headers with the version and with the size of a page. */
  headers: z
    .object({
      version: z.string().default('Service-Version'),
      perPage: z.string().default('Service-Per-Page'),
    })
    .prefault({}),
  /** A deleted item in its checklist: nested with its `deleted_at` (`marked`), or removed. */
  deletedItems: z.enum(['marked', 'left_out']).default('marked'),
  /** Rounds `updated_at` down to a multiple of this, so that entities share timestamps. */
  roundTimestampsMs: z.int().min(1).default(1),
  /**
   * With this probability a change becomes visible only `delayMs` after its `updated_at`. Until
   * then readers see the previous version.
   */
  lateCommits: z
    .strictObject({
      probability: z.number().min(0).max(1).default(0),
      delayMs: milliseconds.default(5000),
    })
    .prefault({}),
  /** Lifetime of access tokens issued from now on, in seconds. */
  accessTokenSeconds: z.number().positive().default(900),
  /** Faults in the order of their application. */
  faults: z.array(faultSchema).default(() => []),
});

/**
 * Choices that the spec leaves open, and injected faults. May change at any time; see
 * `infra/local/simulator/README.md`.
 */
export type Behaviour = z.infer<typeof behaviourSchema>;

/** Behaviour to set; absent fields have their defaults. */
export type BehaviourInput = z.input<typeof behaviourSchema>;

export type Fault = z.infer<typeof faultSchema>;
