import type { WebhookMessage } from '../../../functions/deliver/ports.ts';

interface Stored {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  visibleAt: number;
  receiveCount: number;
  receipt: string;
}

/** SQS's default for the queues of webhooks. */
const VISIBILITY_MS = 120_000;

/** A standard queue of SQS in virtual time: visibility timeouts and receive counts. */
export class SimulatedQueue {
  /** Ids of messages that were buried. */
  readonly buried = new Set<string>();
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
    return Math.min(...this.#messages.map(({ visibleAt }) => visibleAt));
  }

  send(id: string, body: string): void {
    const now = this.#now();
    const received = { receiveCount: 0, receipt: '' };
    this.#messages.push({ id, body, sentAt: now, visibleAt: now, ...received });
  }

  receive(maxCount = 10): WebhookMessage[] {
    const now = this.#now();
    const picked = this.#messages.filter(({ visibleAt }) => visibleAt <= now).slice(0, maxCount);
    return picked.map((message) => {
      message.visibleAt = now + VISIBILITY_MS;
      message.receiveCount += 1;
      message.receipt = `r${(this.#receipts += 1)}`;
      const { id, body, receipt, receiveCount, sentAt } = message;
      return { id, body, receipt, receiveCount, sentAt };
    });
  }

  delete(receipt: string): void {
    this.#messages = this.#messages.filter((message) => message.receipt !== receipt);
  }

  // The port.

  hide(receipt: string, waitMs: number): Promise<void> {
    if (waitMs > 12 * 3_600_000) throw new Error('Total VisibilityTimeout is beyond the limit');
    const message = this.#messages.find((each) => each.receipt === receipt);
    if (message) message.visibleAt = this.#now() + waitMs;
    return Promise.resolve();
  }

  bury({ id }: WebhookMessage): Promise<void> {
    this.buried.add(id);
    return Promise.resolve();
  }
}
