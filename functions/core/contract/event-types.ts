import type { ChangeEvent, ChangeEventOf, EventType } from './events.ts';
import { events } from './schemas.ts';

/** All event types of this version of the contract. */
export const EVENT_TYPES: readonly EventType[] = [...events.keys()];

/**
 * Whether this version of the contract describes the type of an event. Any other type belongs to a list
 * that the operator configured, or to a later version, which may repeat an event of a known type in
 * another form: ignore it unless you know its full name.
 */
export function isKnownEvent(event: ChangeEvent): event is ChangeEventOf<EventType> {
  return (events as ReadonlyMap<string, unknown>).has(event.type);
}
