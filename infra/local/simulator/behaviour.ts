/** Conditions of a fault, which must both hold. Without any, the fault hits every request. */
interface Aim {
  readonly path?: string;
  /** Number of requests to hit before it is removed; absent: unlimited. */
  next?: number;
}

/**
 * A fault of a request: an error status instead of an answer, a delay, a closed connection, a body
 * that is cut in half, or a good page that shows nothing although there are entities.
 */
export type Fault = Aim &
  (
    | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
    | { readonly kind: 'slow'; readonly delayMs: number }
    | { readonly kind: 'disconnect' | 'cut_body' | 'empty_list' }
  );

/** Choices that the spec leaves open, and injected faults. May change at any time. */
export interface Behaviour {
  /** Names of the request headers with the version and with the size of a page. */
  readonly headers: { readonly version: string; readonly perPage: string };
  /** A deleted item in its checklist: nested with its `deleted_at` (`marked`), or removed. */
  deletedItems: 'marked' | 'left_out';
  /** Changes become visible only so long after their `updated_at`. */
  commitDelayMs: number;
  faults: Fault[];
}

export function defaultBehaviour(): Behaviour {
  const headers = { version: 'Service-Version', perPage: 'Service-Per-Page' };
  return { headers, deletedItems: 'marked', commitDelayMs: 0, faults: [] };
}
