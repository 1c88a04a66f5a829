import type { QuarantinedItem } from './quarantine.ts';

/** An item as the queue of the quarantine holds it. */
export interface QueuedItem extends Omit<QuarantinedItem, 'value'> {
  /** Digest of the item: messages of equal items share it. */
  readonly id: string;
  /** What was refused: an entity by us, or an event by the topic. */
  readonly kind: 'entity' | 'event';
  /** In milliseconds since 1970; of the first of its messages. */
  readonly quarantinedAt: number;
  /** Address of the whole item. */
  readonly copy: string;
  /** Reads the whole item; absent when it was too large for a message. */
  readonly read?: () => QuarantinedItem;
  /** With which its messages are given back or deleted. */
  readonly receipts: readonly string[];
}

/** What was taken from the queue. */
export interface Received {
  /** By the time of their quarantine. */
  readonly items: readonly QueuedItem[];
  /** False when the queue may hold more. */
  readonly isComplete: boolean;
  /** About so many messages are hidden: somebody else has received them. */
  readonly hiddenCount: number;
}

/** The queue of the quarantine, for operators. */
export interface QuarantineQueue {
  /** Receives the messages, up to a maximum, and hides them from others until they are given back, or for minutes. */
  receive(): Promise<Received>;

  /** Gives messages back. */
  release(receipts: readonly string[]): Promise<void>;

  /** Deletes messages. */
  delete(receipts: readonly string[]): Promise<void>;

  /**
   * Reads the whole item from its copy.
   *
   * @throws SitecastError when there is none.
   */
  readCopy(address: string): Promise<QuarantinedItem>;
}
