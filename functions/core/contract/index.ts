/**
 * The contract with subscribers: the events and how to read them. This is the package's
 * `sitecast/events`; its exports must stay.
 */
export type { Action } from '../model/change.ts';
export { ExactNumber } from '../model/json.ts';
export type * from './entities.ts';
export type * from './events.ts';
export { EVENT_TYPES, isKnownEvent } from './event-types.ts';
export { isClaimCheck, resolveClaimCheck } from './claim-check.ts';
export { InvalidChangeEventError } from './invalid-change-event.ts';
export { parseChangeEvent } from './parse.ts';
