import { type ChangeEvent, type ClaimCheckEvent } from '../../functions/core/contract/events.ts';
import { storedName, toClaimCheck } from '../../functions/core/events/make-event.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { type EventTopic, type RefusedEvent } from '../../functions/core/ports/event-topic.ts';

/** Maximum bytes of a message. */
const MAX_BYTES = 262_144;

/** A topic in memory, with its claim check. It keeps texts: nobody shares an object with it. */
export class MemoryTopic implements EventTopic {
  readonly #messages: string[] = [];
  readonly #kept = new Map<string, string>();
  #reasonOf: (event: ChangeEvent) => string | undefined = () => undefined;

  /** The accepted events, in that order; large events whole. */
  get published(): ChangeEvent[] {
    return this.messages.map((message) =>
      'dataref' in message ? this.read(message.dataref) : message,
    );
  }

  /** The accepted messages, in that order, as subscribers get them. */
  get messages(): (ChangeEvent | ClaimCheckEvent)[] {
    return this.#messages.map((json) => parseJson(json) as ChangeEvent | ClaimCheckEvent);
  }

  /** The event that is kept at an address. */
  read(dataref: string): ChangeEvent {
    return parseJson(this.#kept.get(dataref) ?? 'null') as ChangeEvent;
  }

  /** From now on refuses the events for which there is a reason. */
  refuse(reasonOf: (event: ChangeEvent) => string | undefined): void {
    this.#reasonOf = reasonOf;
  }

  publish(events: readonly ChangeEvent[]): Promise<RefusedEvent[]> {
    const refused = events.flatMap((event) => {
      const message = this.#messageOf(event);
      const bytes = Buffer.byteLength(message);
      const reason =
        this.#reasonOf(event) ??
        (bytes > MAX_BYTES
          ? `the event has ${bytes} bytes without its data, at most ${MAX_BYTES} are allowed`
          : undefined);
      if (reason !== undefined) return [{ event, reason }];
      this.#messages.push(message);
      return [];
    });
    return Promise.resolve(refused);
  }

  #messageOf(event: ChangeEvent): string {
    const json = JSON.stringify(event);
    if (Buffer.byteLength(json) <= MAX_BYTES) return json;
    const dataref = `memory://events/${storedName(event)}.json`;
    this.#kept.set(dataref, json);
    return JSON.stringify(toClaimCheck(event, dataref));
  }
}
