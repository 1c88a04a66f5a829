import { hash } from 'node:crypto';
import type { ChangeEvent, ClaimCheckEvent, EventAttributes } from '../contract/events.ts';
import type { Action, Change } from '../model/change.ts';
import { withoutFields } from '../model/json/omit-fields.ts';
import { toFixedWidth, type Timestamp } from '../model/timestamp.ts';

/** The attributes that all events of a page share. */
export interface EventOrigin {
  /** `{base_url}/api/v3`. */
  readonly source: string;
  readonly cause: 'poll' | 'replay' | 'reconcile';
  /** When Sitecast saw the change. */
  readonly now: Timestamp;
  /** Fields that config omits: a state that was saved before still has them. */
  readonly omit?: readonly string[];
  readonly accountId?: string;
  readonly projectId?: string;
}

/** An event of any type; one that the contract describes is a {@link ChangeEvent}. */
type AnyEvent = EventAttributes<string> & { readonly data: Pick<Change, 'object' | 'changed'> };

/**
 * Makes the event of a change, from the change alone. Attributes have a fixed order: a repeat has
 * the same bytes but for `recordedtime` and `cause` (promise 2 of docs/guarantees.md).
 */
export function makeEvent(change: Change, context: EventOrigin): ChangeEvent {
  const { accountId, projectId, omit = [] } = context;
  const object = withoutFields(change.object, omit);
  const changed = change.changed.filter((field) => !omit.includes(field));
  const previous = change.previous && withoutFields(change.previous, omit);
  const { type, dataschema } = typeNamesOf(change);
  const event: AnyEvent = {
    specversion: '1.0',
    id: eventId(context.source, change),
    source: context.source,
    type,
    subject: change.subject,
    time: change.time,
    datacontenttype: 'application/json',
    dataschema,
    sequence: toFixedWidth(change.sequence),
    partitionkey: change.id,
    recordedtime: context.now,
    ...(accountId !== undefined && { accountid: accountId }),
    ...(projectId !== undefined && { projectid: projectId }),
    cause: context.cause,
    data: { object, changed, ...(previous !== undefined && { previous }) },
  };
  return event as ChangeEvent;
}

/** The attributes that name the type of an event. */
type TypeNames = Pick<AnyEvent, 'type' | 'dataschema'>;

/** By entity and action. Each is made once, since making it anew for each event costs much CPU. */
const TYPE_NAMES = new Map<string, Partial<Record<Action, TypeNames>>>();

function typeNamesOf({ entity, action }: Change): TypeNames {
  const known = TYPE_NAMES.get(entity) ?? {};
  TYPE_NAMES.set(entity, known);
  return (known[action] ??= {
    type: `${entity}.${action}`,
    dataschema: `urn:sitecast:schema:${entity}.${action}:1`,
  });
}

/** The event that replaces an event too large for the topic. */
export function toClaimCheck(
  { data, ...attributes }: ChangeEvent,
  dataref: string,
): ClaimCheckEvent {
  return { ...attributes, dataref };
}

/**
 * The name under which a large event is stored. A replay has the id of the event that it repeats,
 * but no `previous`: under the same name it would replace the text that an earlier message, still
 * in a queue, refers to.
 */
export function storedName({ id, cause }: ChangeEvent): string {
  return cause === 'poll' ? id : `${id}.${cause}`;
}

/**
 * SHA-256 over source, subject, action and sequence, cut to 32 hex digits. It has no clock, run
 * id or counter: the same change has the same id on retry, on replay and from any shard.
 */
function eventId(source: string, { subject, action, sequence }: Change): string {
  return hash('sha256', `${source}\n${subject}\n${action}\n${sequence}`, 'hex').slice(0, 32);
}
