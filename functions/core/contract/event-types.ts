import type { ChangeEvent, ChangeEventOf, EventType } from './events.ts';
import { events } from './schemas.ts';

/** All types that are always there. */
export const EVENT_TYPES: readonly EventType[] = [...events.keys()];

/**
 * Whether an event is of a type that this version of the contract describes. One that is not is of a list
 * that the operator configured, or of a later version, which may say the same as an event of a known type
 * in other words: leave it alone unless you know its type by its full name.
 */
export function isKnownEvent(event: ChangeEvent): event is ChangeEventOf<EventType> {
  return (events as ReadonlyMap<string, unknown>).has(event.type);
}
