import { type Timestamp } from '../model/timestamp.ts';

/** Something set aside because it cannot be worked with; kept for a human. */
export interface QuarantinedItem {
  /** Id of the feed it came from. */
  readonly feed: string;
  /** `last_synced_at` of the page it was on; absent on the first page. */
  readonly cursor?: Timestamp;
  /** Why it is here. */
  readonly reason: string;
  /** The entity as received, or the event as built. */
  readonly value: unknown;
}

/** Keeps what is set aside. */
export interface Quarantine {
  /** Resolves when all items are kept; rejects when one is not, so that the page is read again. */
  put(items: readonly QuarantinedItem[]): Promise<void>;
}
