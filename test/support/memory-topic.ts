import type { ChangeEvent } from '../../functions/core/event.ts';
import { whilePermitted, type Permit } from '../../functions/core/permit.ts';
import type { EventTopic, RefusedEvent } from '../../functions/core/ports.ts';

/** What a {@link MemoryTopic} can be told. */
export interface MemoryTopicOptions {
  /** Bytes of an event's JSON above which it is refused for good. Default 256 KiB. */
  readonly maxBytes?: number;
}

/** A topic in memory. It keeps JSON texts, so that nobody shares an object with it. */
export class MemoryTopic implements EventTopic {
  readonly #maxBytes: number;
  readonly #published: string[] = [];

  constructor(options: MemoryTopicOptions = {}) {
    this.#maxBytes = options.maxBytes ?? 262_144;
  }

  /** What was accepted, in that order. */
  get published(): ChangeEvent[] {
    return this.#published.map((json) => JSON.parse(json) as ChangeEvent);
  }

  async publish(events: readonly ChangeEvent[], permit?: Permit): Promise<RefusedEvent[]> {
    await whilePermitted(permit, () => Promise.resolve());
    const refused: RefusedEvent[] = [];
    for (const event of events) {
      const json = JSON.stringify(event);
      const bytes = Buffer.byteLength(json);
      if (bytes <= this.#maxBytes) this.#published.push(json);
      else {
        const reason = `the event has ${bytes} bytes, at most ${this.#maxBytes} are allowed`;
        refused.push({ event, reason });
      }
    }
    return refused;
  }
}
