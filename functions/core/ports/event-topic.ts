import { type ChangeEvent } from '../contract/events.ts';
import { type LeaseGuard } from './lease-guard.ts';

/** An event the topic will never accept, however often it is sent. */
export interface RefusedEvent {
  readonly event: ChangeEvent;
  /** The topic's own words. */
  readonly reason: string;
}

/** Where events go. */
export interface EventTopic {
  /**
   * Publishes events in batches and retries what was throttled or failed in part. Events of one
   * entity are accepted in the order given. For one that is too large an {@link ClaimCheckEvent} is
   * published, after the whole of it is kept in a {@link ClaimCheck}.
   *
   * @returns what the topic refused for good; everything else was accepted.
   * @throws PublishFailedError when some events were not accepted, or not kept, after all retries.
   * @throws LeaseLostError when the permit ends before all were sent.
   */
  publish(events: readonly ChangeEvent[], guard?: LeaseGuard): Promise<RefusedEvent[]>;
}

/** Keeps the whole of events that are too large for the topic, where subscribers can read it. */
export interface ClaimCheck {
  /**
   * Keeps an event for 30 days at least. Kept again, it replaces itself.
   *
   * @param id the event's id.
   * @param json the event, as it would be published.
   * @returns its address, for `dataref`.
   * @throws ClaimCheckFailedError when it is not kept after all retries.
   * @throws LeaseLostError when the permit ends before.
   */
  put(id: string, json: string, guard?: LeaseGuard): Promise<string>;
}
