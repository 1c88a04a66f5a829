/**
 * The contract with subscribers: the events and how to read them. This is the package's
 * `sitecast-events`; its exports must stay.
 */
export type { Action } from '../model/change.ts';
export { ExactNumber } from '../model/json/json.ts';
export type * from './entities.ts';
export type * from './events.ts';
export { isClaimCheck, resolveClaimCheck } from './claim-check.ts';
export { EVENT_TYPES, InvalidChangeEventError, isKnownEvent, parseChangeEvent } from './parse.ts';
export { readEvent } from './subscriber/read-event.ts';
export {
  consume,
  consumeBatch,
  type ConsumerOptions,
  type HandlerOptions,
  type QueueMessage,
} from './subscriber/consume.ts';
export { isNewer, versionOf, type EntityVersion } from './subscriber/entity-version.ts';
export type { Gap, ListOptions, ServiceResponse } from './subscriber/read-lists.ts';
export {
  initialLoad,
  type InitialLoadOptions,
  type InitialLoadResult,
} from './subscriber/initial-load.ts';
export {
  verifyMirror,
  type MirrorDifference,
  type MirrorReport,
  type VerifyMirrorOptions,
} from './subscriber/verify-mirror.ts';
