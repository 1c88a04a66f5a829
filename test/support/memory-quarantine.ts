import { createHash } from 'node:crypto';
import { parseJson } from '../../functions/core/model/json/json.ts';
import type {
  QuarantineQueue,
  QueuedItem,
  Received,
} from '../../functions/core/ports/quarantine-queue.ts';
import { type Quarantine, type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

/** A quarantine in memory. It keeps JSON texts, so that nobody shares an object with it. */
export class MemoryQuarantine implements Quarantine, QuarantineQueue {
  readonly #kept: string[] = [];
  /** Indices of items that are deleted from the queue. */
  readonly #deleted = new Set<string>();
  /** Receipts that were given back. */
  readonly released: string[] = [];

  /** The quarantined items, in that order, whether they are still in the queue or not. */
  get items(): QuarantinedItem[] {
    return this.#kept.map((json) => parseJson(json) as QuarantinedItem);
  }

  put(items: readonly QuarantinedItem[]): Promise<void> {
    this.#kept.push(...items.map((item) => JSON.stringify(item)));
    return Promise.resolve();
  }

  receive(): Promise<Received> {
    const items = this.#kept.flatMap((json, n): QueuedItem[] => {
      if (this.#deleted.has(String(n))) return [];
      const read = () => parseJson(json) as QuarantinedItem;
      const { value, ...origin } = read();
      const id = createHash('sha256').update(json).digest('hex').slice(0, 32);
      const kind = JSON.stringify(value).startsWith('{"specversion"') ? 'event' : 'entity';
      const copy = `s3://bucket/quarantine/2026-11-22/${id}.json`;
      return [{ ...origin, id, kind, copy, read, quarantinedAt: n, receipts: [String(n)] }];
    });
    return Promise.resolve({ items, isComplete: true, hiddenCount: 0 });
  }

  release(receipts: readonly string[]): Promise<void> {
    this.released.push(...receipts);
    return Promise.resolve();
  }

  delete(receipts: readonly string[]): Promise<void> {
    for (const receipt of receipts) this.#deleted.add(receipt);
    return Promise.resolve();
  }

  readCopy(): Promise<QuarantinedItem> {
    return Promise.reject(new Error('no item is too large for a message'));
  }
}
