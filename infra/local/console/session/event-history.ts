import { parseJson } from '../../../../functions/core/model/json/json.ts';
import { MAX_ROWS, type ReceivedEvent, type RunView } from '../protocol.ts';

/** The latest events of a queue, bounded. */
export class EventHistory {
  /** In the order of arrival. */
  events: readonly ReceivedEvent[] = [];
  count = 0;

  /** @param runs the latest, oldest first: one of them has published the events. */
  add(texts: readonly string[], runs: readonly RunView[]): void {
    for (const text of texts) {
      // The poller publishes ChangeEvents and ClaimCheckEvents only.
      const event = parseJson(text) as ReceivedEvent['event'];
      const isRepeat = this.events.some((earlier) => earlier.event.id === event.id);
      const recordedAt = Date.parse(event.recordedtime);
      const run = runs.findLast(({ startedAt }) => startedAt <= recordedAt)?.number;
      const seen = { number: ++this.count, receivedAt: Date.now(), isRepeat };
      const received = { ...seen, event, ...(run !== undefined && { run }) };
      this.events = [...this.events, received].slice(-MAX_ROWS);
    }
  }

  since(number: number): readonly ReceivedEvent[] {
    return this.events.filter((event) => event.number > number);
  }
}
