import type { ChangeEvent } from '../contract/events.ts';

/** An event that the topic will never accept. */
export interface RefusedEvent {
  readonly event: ChangeEvent;
  /** The topic's message. */
  readonly reason: string;
}

/** The topic to which a run publishes. */
export interface EventTopic {
  /**
   * Publishes events, at most one of an entity, in any order. Retries throttled and partial
   * failures. An event that is too large is stored elsewhere for at least 30 days, and a
   * `ClaimCheckEvent` is published in its place.
   *
   * @returns the events that the topic will never accept; all others were accepted.
   * @throws PublishFailedError when events were not accepted or stored after all retries.
   */
  publish(events: readonly ChangeEvent[]): Promise<RefusedEvent[]>;
}
