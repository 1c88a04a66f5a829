import { hash } from 'node:crypto';
import type { JsonObject } from './entity.ts';
import { toFixedWidth, type Timestamp } from './timestamp.ts';

/** What happened to an entity. */
export type Action = 'created' | 'updated' | 'deleted' | 'restored';

/** Why an event was published. */
export type Cause = 'poll' | 'replay' | 'reconcile';

/** A change of one entity, worked out from what was known and what was seen. */
export interface Change {
  readonly action: Action;
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  /** The entity's id. */
  readonly id: string;
  /** The entity's API path: `/projects/<project_id>/floorplans/<floorplan_id>`. */
  readonly subject: string;
  /** When it happened upstream. */
  readonly time: Timestamp;
  /** Orders the changes of one entity; with subject and action it makes the event's id. */
  readonly sequence: Timestamp;
  /** The entity as the service returned it, without lists that are events of their own. */
  readonly object: JsonObject;
  /** Names of the top-level fields that differ, without `updated_at`, sorted. */
  readonly changed: readonly string[];
  /** Old values of those fields; absent or undefined when they are not known. */
  readonly previous?: JsonObject | undefined;
}

/** One CloudEvents 1.0 event in structured JSON mode: the contract with subscribers. */
export interface ChangeEvent {
  readonly specversion: '1.0';
  /** 32 hex digits; the same change has the same id on every delivery. */
  readonly id: string;
  /** `{base_url}/api/v3`. */
  readonly source: string;
  /** `<entity>.<action>`. */
  readonly type: `${string}.${Action}`;
  readonly subject: string;
  readonly time: Timestamp;
  readonly datacontenttype: 'application/json';
  /** Versioned URI of the schema of `data`. */
  readonly dataschema: string;
  /**
   * Orders the events of one entity: its version in text of a fixed width, which is compared as text. A
   * subscriber ignores an event that is not above what it has.
   */
  readonly sequence: string;
  /** The entity's id. */
  readonly partitionkey: string;
  /** When Sitecast saw the change. The only attribute that differs between deliveries. */
  readonly recordedtime: Timestamp;
  readonly accountid?: string;
  readonly projectid?: string;
  readonly cause: Cause;
  readonly data: ChangeData;
}

/**
 * What is published in the place of an event that is too large for the topic: the same event, with
 * the address of the whole one instead of `data`.
 */
export type EventReference = Omit<ChangeEvent, 'data'> & {
  /** Where the whole event lies, as JSON: `s3://<bucket>/events/<id>.json`. */
  readonly dataref: string;
};

/** The payload of a {@link ChangeEvent}. */
export interface ChangeData {
  readonly object: JsonObject;
  readonly changed: readonly string[];
  readonly previous?: JsonObject;
}

/** What all events of a page share. */
export interface EventContext {
  /** `{base_url}/api/v3`. */
  readonly source: string;
  readonly cause: Cause;
  /** When Sitecast saw it. */
  readonly now: Timestamp;
  readonly accountId?: string;
  readonly projectId?: string;
}

/** Makes the event of a change. */
export function makeEvent(change: Change, context: EventContext): ChangeEvent {
  return new EventOfChange(change, context);
}

/**
 * Attributes stand in a fixed order, so that a retried event has the same bytes but for `recordedtime`. A
 * class, as `SeenEntity` is.
 */
class EventOfChange implements ChangeEvent {
  declare readonly specversion: '1.0';
  declare readonly id: string;
  declare readonly source: string;
  declare readonly type: ChangeEvent['type'];
  declare readonly subject: string;
  declare readonly time: Timestamp;
  declare readonly datacontenttype: 'application/json';
  declare readonly dataschema: string;
  declare readonly sequence: string;
  declare readonly partitionkey: string;
  declare readonly recordedtime: Timestamp;
  declare readonly accountid?: string;
  declare readonly projectid?: string;
  declare readonly cause: Cause;
  declare readonly data: ChangeData;

  constructor(change: Change, context: EventContext) {
    const { type, dataschema } = kindOf(change);
    this.specversion = '1.0';
    this.id = eventId(context.source, change);
    this.source = context.source;
    this.type = type;
    this.subject = change.subject;
    this.time = change.time;
    this.datacontenttype = 'application/json';
    this.dataschema = dataschema;
    this.sequence = toFixedWidth(change.sequence);
    this.partitionkey = change.id;
    this.recordedtime = context.now;
    if (context.accountId !== undefined) this.accountid = context.accountId;
    if (context.projectId !== undefined) this.projectid = context.projectId;
    this.cause = context.cause;
    this.data = new DataOfChange(change);
  }
}

class DataOfChange implements ChangeData {
  declare readonly object: JsonObject;
  declare readonly changed: readonly string[];
  declare readonly previous?: JsonObject;

  constructor({ object, changed, previous }: Change) {
    this.object = object;
    this.changed = changed;
    if (previous !== undefined) this.previous = previous;
  }
}

type Kind = Pick<ChangeEvent, 'type' | 'dataschema'>;

/** By entity and action. There are few, and the texts are made once. */
const kinds = new Map<string, Partial<Record<Action, Kind>>>();

function kindOf({ entity, action }: Change): Kind {
  const ofEntity = kinds.get(entity) ?? {};
  const known = ofEntity[action];
  if (known !== undefined) return known;
  const type = `${entity}.${action}` as const;
  const kind = { type, dataschema: `urn:sitecast:schema:${type}:1` };
  kinds.set(entity, { ...ofEntity, [action]: kind });
  return kind;
}

/** Stands for an event whose whole lies at the address. */
export function referenceTo({ data, ...attributes }: ChangeEvent, dataref: string): EventReference {
  return { ...attributes, dataref };
}

/**
 * SHA-256 over source, subject, action and version, cut to 32 hex digits. No clock, no run id, no
 * counter: the same change has the same id on retry, on replay, from any shard.
 */
function eventId(source: string, change: Change): string {
  const { subject, action, sequence } = change;
  return hash('sha256', `${source}\n${subject}\n${action}\n${sequence}`, 'hex').slice(0, 32);
}
