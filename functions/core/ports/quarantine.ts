import type { Timestamp } from '../model/timestamp.ts';

/** An invalid entity or a refused event, kept for an operator. */
export interface QuarantinedItem {
  /** Id of the feed it came from. */
  readonly feed: string;
  /** `last_synced_at` of the page it was on; absent on the first page. */
  readonly cursor?: Timestamp;
  readonly reason: string;
  /** The entity as received, or the event as built. */
  readonly value: unknown;
}

export interface Quarantine {
  /** Resolves when all items are kept; rejects when one is not, so that the page is read again. */
  put(items: readonly QuarantinedItem[]): Promise<void>;
}
