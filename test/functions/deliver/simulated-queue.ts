import type { WebhookMessage } from '../../../functions/core/ports/webhook.ts';

interface Stored {
  readonly id: string;
  readonly body: string;
  readonly group: string | undefined;
  readonly sentAt: number;
  visibleAt: number;
  receiveCount: number;
  receipt: string;
}

/** SQS's default for the queues of webhooks. */
const VISIBILITY_MS = 120_000;

/** A queue of SQS in virtual time: visibility timeouts, receive counts, and the locks of groups in a FIFO queue. */
export class SimulatedQueue {
  /** Why messages were buried, by their ids. */
  readonly buried = new Map<string, string>();
  readonly #now: () => number;
  #messages: Stored[] = [];
  #receipts = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#messages.length;
  }

  /** When the next message is visible, milliseconds since 1970. */
  get nextAt(): number {
    // A hidden message locks its group.
    const groups = Map.groupBy(this.#messages, (message) => message.group ?? message);
    const lockedUntil = [...groups.values()].map((group) =>
      Math.max(...group.map(({ visibleAt }) => visibleAt)),
    );
    return Math.min(...lockedUntil);
  }

  send(id: string, body: string, group?: string): void {
    const now = this.#now();
    const received = { receiveCount: 0, receipt: '' };
    this.#messages.push({ id, body, group, sentAt: now, visibleAt: now, ...received });
  }

  receive(maxCount = 10): WebhookMessage[] {
    const now = this.#now();
    const isHidden = ({ visibleAt }: Stored) => visibleAt > now;
    const locked = new Set(this.#messages.filter(isHidden).map(({ group }) => group));
    locked.delete(undefined);
    const picked = this.#messages
      .filter((message) => !isHidden(message) && !locked.has(message.group))
      .slice(0, maxCount);
    return picked.map((message) => {
      message.visibleAt = now + VISIBILITY_MS;
      message.receiveCount += 1;
      message.receipt = `r${(this.#receipts += 1)}`;
      const { id, body, group, receipt, receiveCount, sentAt } = message;
      const known = { id, body, receipt, receiveCount, sentAt };
      return { ...known, ...(group !== undefined && { group }) };
    });
  }

  delete(receipt: string): void {
    this.#messages = this.#messages.filter((message) => message.receipt !== receipt);
  }

  // The port.

  hide(receipts: readonly string[], waitMs: number): Promise<void> {
    for (const message of this.#messages) {
      if (!receipts.includes(message.receipt)) continue;
      if (waitMs > 12 * 3_600_000) throw new Error('Total VisibilityTimeout is beyond the limit');
      message.visibleAt = this.#now() + waitMs;
    }
    return Promise.resolve();
  }

  bury({ id }: WebhookMessage, reason: string): Promise<void> {
    this.buried.set(id, reason);
    return Promise.resolve();
  }
}
