import type { MessageAttributeValue, PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import { type ChangeEvent } from '../../core/events/change-event.ts';
import { toClaimCheck } from '../../core/events/make-event.ts';

/** An event ready to be sent. */
export interface Message {
  readonly event: ChangeEvent;
  readonly entry: Omit<PublishBatchRequestEntry, 'Id'>;
  /** As SNS counts it: UTF-8 bytes of the body and of names, types and values of attributes. */
  readonly bytes: number;
  /** Whether it refers to the event, which lies in the claim check, instead of carrying it. */
  readonly isReference: boolean;
}

/** The characters of XML, and so of SNS: no control characters but these, no half of a pair. */
const CARRIED = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

/** What a message depends on besides its event. */
export interface MessageOptions {
  /** Bytes that the topic takes. What has more with nothing left to cut is returned so. */
  readonly maxBytes: number;
  /** Whether the topic is a FIFO topic. */
  readonly isFifo: boolean;
  /** Where the whole event lies, for a message that refers to it. */
  readonly dataref?: string;
}

/** The last name of a `changed` that was cut: a filter that has it, too, misses nothing. */
const AND_MORE = '"*"';

/**
 * The event as SNS takes it. An attribute whose value is empty or has a character that SNS does not
 * carry is left out; the body has it all. `changed` is cut to what fits beside the body, and then ends
 * in `*`. SNS sets no limit to the number of names.
 *
 * On a FIFO topic the entity's id is the group, in which order is kept, and the event's id tells
 * repeats. An id has no characters but those that a group may have, see `invalidReason`.
 */
export function makeMessage(event: ChangeEvent, options: MessageOptions): Message {
  const { maxBytes, isFifo, dataref } = options;
  const [entity, action] = splitType(event.type);
  const attributes: Record<string, MessageAttributeValue> = {};
  const body = plainJson(dataref === undefined ? event : toClaimCheck(event, dataref));
  let bytes = Buffer.byteLength(body);
  const add = (name: string, type: string, value: string | undefined): void => {
    if (value === undefined || !CARRIED.test(value)) return;
    attributes[name] = { DataType: type, StringValue: value };
    bytes += Buffer.byteLength(name + type + value);
  };
  add('type', 'String', event.type);
  add('entity', 'String', entity);
  add('action', 'String', action);
  add('project_id', 'String', event.projectid);
  add('account_id', 'String', event.accountid);
  add('cause', 'String', event.cause);
  const room = maxBytes - bytes - 'changedString.Array'.length;
  add('changed', 'String.Array', arrayThatFits(event.data.changed, room));
  const order = isFifo && {
    MessageGroupId: event.partitionkey,
    MessageDeduplicationId: event.id,
  };
  const entry = { Message: body, MessageAttributes: attributes, ...order };
  return { event, entry, bytes, isReference: dataref !== undefined };
}

/** `floorplan.updated` → `floorplan`, `updated`. */
function splitType(type: string): [string, string] {
  const dot = type.lastIndexOf('.');
  return [type.slice(0, dot), type.slice(dot + 1)];
}

/** JSON of the names, cut if they do not fit; undefined when there are none. */
function arrayThatFits(names: readonly string[], maxBytes: number): string | undefined {
  if (names.length === 0) return undefined;
  const all = names.map(plainJson);
  const whole = `[${all.join(',')}]`;
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const fitting: string[] = [];
  let bytes = `[${AND_MORE}]`.length;
  for (const json of all) {
    bytes += Buffer.byteLength(json) + ','.length;
    if (bytes > maxBytes) break;
    fitting.push(json);
  }
  return `[${[...fitting, AND_MORE].join(',')}]`;
}

/** JSON without the two characters that XML, and so a queue behind the topic, does not allow. */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value);
  // In nearly no text is any of them, and a search for one costs less than a pattern.
  if (!json.includes('\ufffe') && !json.includes('\uffff')) return json;
  return json.replace(/[\ufffe\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
}
