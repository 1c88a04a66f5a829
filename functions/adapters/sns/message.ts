import type { MessageAttributeValue, PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import type { ChangeEvent } from '../../core/contract/events.ts';
import { toClaimCheck } from '../../core/events/make-event.ts';

/** An event as an SNS message. */
export interface Message {
  readonly event: ChangeEvent;
  readonly entry: Omit<PublishBatchRequestEntry, 'Id'>;
  /**
   * The size that SNS counts: UTF-8 bytes of the body and of all attributes' names, types, values.
   */
  readonly bytes: number;
}

/** The characters that XML, and so SNS, allows. */
const ALLOWED_IN_XML = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

export interface MessageOptions {
  /**
   * The topic's maximum. A message may still exceed it when `changed` is cut as far as possible.
   */
  readonly maxBytes: number;
  readonly isFifo: boolean;
  /** The address of the whole event, to make a claim check. */
  readonly dataref?: string;
}

/** The last name of a truncated `changed`: a filter that also lists it misses nothing. */
const TRUNCATION_MARK = '"*"';

/**
 * Makes the message of an event. Leaves out attributes that are empty or have characters that SNS
 * does not allow; the body has them all. Truncates `changed` to the space beside the body.
 *
 * On a FIFO topic the entity's id is the group, which keeps the order, and the event's id
 * identifies repeats. `invalidReason` ensures that ids are valid as groups.
 */
export function makeMessage(event: ChangeEvent, options: MessageOptions): Message {
  const { maxBytes, isFifo, dataref } = options;
  const [entity, action] = splitType(event.type);
  const attributes: Record<string, MessageAttributeValue> = {};
  const body = plainJson(dataref === undefined ? event : toClaimCheck(event, dataref));
  let bytes = Buffer.byteLength(body);
  const add = (name: string, type: string, value: string | undefined): void => {
    if (value === undefined || !ALLOWED_IN_XML.test(value)) return;
    attributes[name] = { DataType: type, StringValue: value };
    bytes += Buffer.byteLength(name + type + value);
  };
  add('type', 'String', event.type);
  add('entity', 'String', entity);
  add('action', 'String', action);
  add('project_id', 'String', event.projectid);
  add('account_id', 'String', event.accountid);
  add('cause', 'String', event.cause);
  const spaceBytes = maxBytes - bytes - 'changedString.Array'.length;
  add('changed', 'String.Array', truncatedArray(event.data.changed, spaceBytes));
  const order = isFifo && { MessageGroupId: event.partitionkey, MessageDeduplicationId: event.id };
  const entry = { Message: body, MessageAttributes: attributes, ...order };
  return { event, entry, bytes };
}

/** `floorplan.updated` → `floorplan`, `updated`. */
function splitType(type: string): [string, string] {
  const dot = type.lastIndexOf('.');
  return [type.slice(0, dot), type.slice(dot + 1)];
}

/** JSON of the names, truncated to the maximum; undefined when there are no names. */
function truncatedArray(names: readonly string[], maxBytes: number): string | undefined {
  if (names.length === 0) return undefined;
  const whole = plainJson(names);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const fitting: string[] = [];
  let bytes = `[${TRUNCATION_MARK}]`.length;
  for (const json of names.map(plainJson)) {
    bytes += Buffer.byteLength(json) + ','.length;
    if (bytes > maxBytes) break;
    fitting.push(json);
  }
  return `[${[...fitting, TRUNCATION_MARK].join(',')}]`;
}

/** JSON in which the two characters that XML, and so SQS, does not allow are escaped. */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.replace(/[\ufffe\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}`);
}
