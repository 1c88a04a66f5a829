/**
 * The contract with subscribers: what an event looks like, and how to read one. This is the package's
 * `sitecast/events`; what it exports stays as it is.
 */
export type {
  Entities,
  EntityObject,
  Floorplan,
  MadeOnDevice,
  Project,
  Sheet,
  TemplateChecklist,
  TemplateCheckItem,
} from './entities.ts';
export type {
  Action,
  ChangeData,
  ChangeEvent,
  ChangeEventOf,
  ClaimCheckEvent,
  EntityName,
  EntityOf,
  EventAttributes,
  EventType,
  AdditionalChangeEvent,
  AdditionalType,
} from './events.ts';
export { EVENT_TYPES, isKnownEvent } from './event-types.ts';
export { isClaimCheck, resolveClaimCheck } from './claim-check.ts';
export { InvalidChangeEventError } from './invalid-change-event.ts';
export { parseChangeEvent } from './parse.ts';
