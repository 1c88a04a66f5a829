import type * as z from 'zod/mini';
import { parseJson } from '../model/json/json.ts';
import { quote } from '../model/json/quote.ts';
import type { ChangeEvent, ChangeEventOf, ClaimCheckEvent, EventType } from './events.ts';
import { claimCheck, events, schemaFor } from './schemas.ts';

/** All event types of this version of the contract. */
export const EVENT_TYPES: readonly EventType[] = [...events.keys()];

/**
 * The text is no event of Sitecast. The message names the invalid field, its truncated value and
 * the allowed values, or the kind of message that the text is instead.
 */
export class InvalidChangeEventError extends Error {
  override readonly name = 'InvalidChangeEventError';
  /** The invalid field, as `data.object.id`; absent when the whole text is invalid. */
  readonly field: string | undefined;

  constructor(message: string, field?: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Messages around an event, which are easily mistaken for it, with advice. */
const WRAPPINGS: readonly [is: (value: Fields) => boolean, advice: string][] = [
  [
    ({ Type }) => Type === 'SubscriptionConfirmation' || Type === 'UnsubscribeConfirmation',
    'a confirmation of SNS, not an event: to confirm the subscription, open its "SubscribeURL"',
  ],
  [
    ({ Type, Sns }) => Type === 'Notification' || Sns !== undefined,
    'a message of SNS: pass its "Message", or subscribe with raw message delivery',
  ],
  [
    ({ Records, body, Body }) => (Records ?? body ?? Body) !== undefined,
    'a message of SQS, or an invocation with such messages: pass the body of each',
  ],
];

/**
 * Parses an event from the text of a message.
 *
 * Validates the attributes and the parts of `data` that Sitecast guarantees: an object with its
 * `id`, the names of changed fields, old values. The fields of the entity pass through unchecked,
 * so that one odd field stops no subscriber; their types are the service's specification.
 * Additional attributes and fields, later versions of a schema and additional types pass, too; see
 * {@link AdditionalChangeEvent}.
 *
 * @param text the event as JSON: SNS's `Message`, which is the body under raw message delivery.
 * @throws InvalidChangeEventError when the text is no event.
 */
export function parseChangeEvent(text: string): ChangeEvent | ClaimCheckEvent {
  const value = parseObject(text);
  const schema = value['dataref'] === undefined ? schemaFor(String(value['type'])) : claimCheck;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) throw invalidFieldError(issue, value);
  // Not the schema's output, whose fields have another order.
  return value as unknown as ChangeEvent | ClaimCheckEvent;
}

function parseObject(text: unknown): Fields {
  if (typeof text !== 'string') {
    throw new InvalidChangeEventError(
      `An event is parsed from its JSON text, got ${typeof text}; a buffer has toString()`,
    );
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    const reason = (cause as SyntaxError).message;
    const message = `The text is not JSON: ${quote(text)} (${reason})`;
    throw new InvalidChangeEventError(message, undefined, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidChangeEventError(`An event is an object, got ${quote(value)}`);
  }
  const fields = value as Fields;
  const [, advice] = WRAPPINGS.find(([is]) => is(fields)) ?? [];
  if (advice !== undefined && fields['specversion'] === undefined) {
    throw new InvalidChangeEventError(`This is ${advice}`);
  }
  return fields;
}

function invalidFieldError(issue: z.core.$ZodIssue, event: unknown): InvalidChangeEventError {
  const { path, message } = issue;
  const field = path.map(String).join('.');
  const value = path.reduce<unknown>((outer, key) => (outer as Fields)[String(key)], event);
  const is = value === undefined ? 'missing' : quote(value);
  return new InvalidChangeEventError(`${field} is ${is}; allowed: ${message}`, field);
}

/**
 * Whether this version of the contract describes the type of an event. Other types are those of
 * lists that the operator configured, or of a later version. A later version may repeat an event in
 * another form: ignore a type unless you know its full name.
 */
export function isKnownEvent(event: ChangeEvent): event is ChangeEventOf<EventType> {
  return (events as ReadonlyMap<string, unknown>).has(event.type);
}
