import type { MessageAttributeValue, PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import type { ChangeEvent } from '../../core/event.ts';

/** An event ready to be sent. */
export interface Message {
  readonly event: ChangeEvent;
  readonly entry: Omit<PublishBatchRequestEntry, 'Id'>;
  /** As SNS counts it: UTF-8 bytes of the body and of names, types and values of attributes. */
  readonly bytes: number;
}

/** The characters of XML, and so of SNS: no control characters but these, no half of a pair. */
const CARRIED = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

/**
 * The event as SNS takes it. An attribute whose value is empty
 * or has a character that SNS does not carry is left out; the body has it all. `changed` is cut to what
 * fits beside the body.
 */
export function makeMessage(event: ChangeEvent, maxBytes: number): Message {
  const [entity, action] = splitType(event.type);
  const attributes: Record<string, MessageAttributeValue> = {};
  const body = plainJson(event);
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
  return { event, entry: { Message: body, MessageAttributes: attributes }, bytes };
}

/** `floorplan.updated` → `floorplan`, `updated`. */
function splitType(type: string): [string, string] {
  const dot = type.lastIndexOf('.');
  return [type.slice(0, dot), type.slice(dot + 1)];
}

/** JSON of the first names that fit; undefined when there are none. */
function arrayThatFits(names: readonly string[], maxBytes: number): string | undefined {
  const fitting: string[] = [];
  let bytes = '[]'.length;
  for (const name of names) {
    const json = plainJson(name);
    bytes += Buffer.byteLength(json) + (fitting.length > 0 ? 1 : 0);
    if (bytes > maxBytes) break;
    fitting.push(json);
  }
  return fitting.length > 0 ? `[${fitting.join(',')}]` : undefined;
}

/** JSON without the two characters that XML, and so a queue behind the topic, does not allow. */
function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16)}`,
  );
}
