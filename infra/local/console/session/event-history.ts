import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { MAX_EVENTS, type ReceivedEvent, type RunView } from '../protocol.ts';

/** The latest events of a queue, bounded. */
export class EventHistory {
  /** In the order of arrival. */
  events: readonly ReceivedEvent[] = [];
  /** All that were received. */
  receivedCount = 0;
  readonly listeners = new Set<(events: readonly ReceivedEvent[]) => void>();
  readonly #runs: () => readonly RunView[];
  readonly #ids = new Set<string>();

  /** @param runs the latest, oldest first: one of them has published an event. */
  constructor(runs: () => readonly RunView[]) {
    this.#runs = runs;
  }

  /** Adds messages of the queue. */
  add(texts: readonly string[]): void {
    const received = texts.map((text) => this.#read(text));
    this.receivedCount += received.length;
    this.events = [...this.events, ...received].slice(-MAX_EVENTS);
    for (const listener of this.listeners) listener(received);
  }

  #read(text: string): ReceivedEvent {
    // The poller publishes ChangeEvents and ClaimCheckEvents only.
    const event = parseJson(text) as ReceivedEvent['event'];
    const isRepeat = this.#ids.has(event.id);
    this.#remember(event.id);
    const recordedAt = Date.parse(event.recordedtime);
    const run = this.#runs().findLast(({ startedAt }) => startedAt <= recordedAt)?.number;
    return { event, receivedAt: Date.now(), isRepeat, ...(run !== undefined && { run }) };
  }

  #remember(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_EVENTS && oldest !== undefined) this.#ids.delete(oldest);
  }
}
