import { hash } from 'node:crypto';
import {
  type Cause,
  type ChangeEvent,
  type ChangeData,
  type ClaimCheckMessage,
} from './change-event.ts';
import { type Timestamp, toFixedWidth } from '../model/timestamp.ts';
import { type Change } from '../model/change.ts';
import { type JsonObject } from '../model/entity.ts';

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
export class EventOfChange implements ChangeEvent {
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
    const type = `${change.entity}.${change.action}` as const;
    this.specversion = '1.0';
    this.id = eventId(context.source, change);
    this.source = context.source;
    this.type = type;
    this.subject = change.subject;
    this.time = change.time;
    this.datacontenttype = 'application/json';
    this.dataschema = `urn:sitecast:schema:${type}:1`;
    this.sequence = toFixedWidth(change.sequence);
    this.partitionkey = change.id;
    this.recordedtime = context.now;
    if (context.accountId !== undefined) this.accountid = context.accountId;
    if (context.projectId !== undefined) this.projectid = context.projectId;
    this.cause = context.cause;
    this.data = new DataOfChange(change);
  }
}

export class DataOfChange implements ChangeData {
  declare readonly object: JsonObject;
  declare readonly changed: readonly string[];
  declare readonly previous?: JsonObject;

  constructor({ object, changed, previous }: Change) {
    this.object = object;
    this.changed = changed;
    if (previous !== undefined) this.previous = previous;
  }
}

/** Stands for an event whose whole lies at the address. */
export function toClaimCheck(
  { data, ...attributes }: ChangeEvent,
  dataref: string,
): ClaimCheckMessage {
  return { ...attributes, dataref };
}

/**
 * SHA-256 over source, subject, action and version, cut to 32 hex digits. No clock, no run id, no
 * counter: the same change has the same id on retry, on replay, from any shard.
 */
export function eventId(source: string, change: Change): string {
  const { subject, action, sequence } = change;
  return hash('sha256', `${source}\n${subject}\n${action}\n${sequence}`, 'hex').slice(0, 32);
}
