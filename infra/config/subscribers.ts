// The index of the library takes longer to load than all else that reads a config.
import { Token } from 'aws-cdk-lib/core';
import * as z from 'zod/mini';
import {
  fields,
  matching,
  oneOf,
  text,
  textAt,
  trueOrFalse,
  uniqueBy,
  whole,
} from '../../functions/settings/field-types.ts';
import { urlProblem } from '../../functions/settings/service-url.ts';
import { filterPolicyProblems } from './filter-policy.ts';
import { reference } from './reference.ts';
import { webhookFields, webhookUrlProblem } from './webhook-fields.ts';

const ARNS = {
  sqs: [
    /^arn:aws[\w-]*:sqs:[\w-]+:\d{12}:[\w-]{1,80}(\.fifo)?$/,
    'ARN of an SQS queue, since protocol is "sqs"',
  ],
  lambda: [
    /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]{1,64}(:[\w$-]{1,128})?$/,
    'ARN of a Lambda function, since protocol is "lambda"',
  ],
  firehose: [
    /^arn:aws[\w-]*:firehose:[\w-]+:\d{12}:deliverystream\/[\w.-]{1,64}$/,
    'ARN of a Firehose delivery stream, since protocol is "firehose"',
  ],
  eventBridge: [
    /^arn:aws[\w-]*:events:[\w-]+:\d{12}:event-bus\/[\w./-]{1,256}$/,
    'ARN of an event bus, since protocol is "eventBridge"',
  ],
} as const;

/** Fields that one protocol alone has. */
const ONLY_FOR = {
  subscriptionRoleArn: 'firehose',
  retries: 'https',
  secretArn: 'webhook',
  maxConcurrency: 'webhook',
  allowPrivateAddress: 'webhook',
} as const;

/** Protocols with a queue of the stack, which has the event alone. */
const OWN_QUEUE = ['webhook', 'eventBridge'];

/** Maximum time that SNS spends on retries, with any subscription. */
const MAX_RETRY_SECONDS = 3600;

const retries = fields({
  /** Maximum number of retries. Default: 50. */
  count: z._default(whole(0, 100, 'retries'), 50),
  /** Shortest wait between two attempts. Default: 1. */
  minDelaySeconds: z._default(whole(1, MAX_RETRY_SECONDS, 'seconds'), 1),
  /** Longest wait between two attempts; the waits grow towards it. Default: 60. */
  maxDelaySeconds: z._default(whole(1, MAX_RETRY_SECONDS, 'seconds'), 60),
});

/** Retries of an https endpoint for which the config has none. */
export const DEFAULT_RETRIES = retries.parse({});

const NAME = {
  pattern: /^[a-z][a-z0-9-]{0,39}$/,
  allowed: 'a name of at most 40 lower-case letters, digits and - that starts with a letter',
};

/** What a subscriber's name must be; undefined if it is that. */
export function nameProblem(name: string): string | undefined {
  return NAME.pattern.test(name) ? undefined : NAME.allowed;
}

const subscriberFields = fields({
  /** Unique name, for outputs and alarms. It may change: the endpoint keeps its resources. */
  name: matching(NAME.pattern, NAME.allowed),
  /**
   * How events are delivered. `webhook` posts each event, signed, and retries it for days; `https` is SNS's own way.
   * A FIFO topic delivers to queues, webhooks and buses only.
   */
  protocol: oneOf('sqs', 'lambda', 'https', 'firehose', 'webhook', 'eventBridge'),
  /**
   * The ARN of the queue, function, delivery stream or event bus, or the https URL. No two
   * subscribers have the same: for two filters, use `$or` in one `filterPolicy`. A queue's own
   * policy must let the topic send to it. A function in the stack's account and region gets its
   * permission from the stack; elsewhere its owner must add it (`aws lambda add-permission`,
   * principal `sns.amazonaws.com`, source ARN the topic). An endpoint of another account must
   * confirm the subscription.
   * A bus belongs to the stack's account and region; rules of the bus forward to others.
   */
  endpoint: text('an ARN, or an https URL'),
  /** SNS filter policy. Default: all events. */
  filterPolicy: z.optional(
    z.record(z.string(), z.unknown(), { error: 'an object: an SNS filter policy' }),
  ),
  /**
   * The part of the message that the policy filters by. Default: MessageAttributes. With `MessageBody`,
   * events too large for the topic do not meet a condition on `data`: the message does not contain it.
   */
  filterPolicyScope: z._default(oneOf('MessageAttributes', 'MessageBody'), 'MessageAttributes'),
  /** Deliver the event alone, without SNS's envelope. Default: false. Webhooks and buses always get it alone, functions never. */
  rawMessageDelivery: z._default(trueOrFalse(), false),
  /** ARN of the role with which SNS writes to a Firehose delivery stream; required for one. */
  subscriptionRoleArn: z.optional(
    reference(/^arn:aws[\w-]*:iam::\d{12}:role\/\S+$/, 'ARN of an IAM role'),
  ),
  /**
   * Retries of a failing https endpoint. Default: 50 within 50 minutes. For queues, functions and
   * delivery streams, SNS retries for 23 days. Then the event moves to the subscriber's dead-letter
   * queue.
   */
  retries: z.optional(retries),
  ...webhookFields,
});

const subscriber = subscriberFields.check(z.superRefine(checkSubscriber));

/** One subscriber, checked, with defaults filled in. */
export type SubscriberConfig = z.output<typeof subscriber>;

/** Subscribers that are deployed together with the topic. */
export const subscribers = z.array(subscriber, { error: 'a list of subscribers' }).check(
  // Outputs are named after subscribers, and their names must not contain hyphens.
  uniqueBy('name', 'a name that no other entry has, with hyphens or without', (entry) =>
    textAt(entry, 'name')?.replaceAll('-', ''),
  ),
  // SNS refuses a second subscription of an endpoint, and a second webhook would repeat all events.
  uniqueBy(
    'endpoint',
    'an endpoint that no other subscriber has; for two filters, use $or in one filterPolicy',
    (entry) => normalEndpoint(textAt(entry, 'endpoint')),
  ),
);

/** An endpoint in its normal form: the same for all spellings of a URL. */
export function normalEndpoint<T extends string | undefined>(endpoint: T): T | string {
  return Token.isUnresolved(endpoint) ? endpoint : (URL.parse(endpoint ?? '')?.href ?? endpoint);
}

/** Checks fields, each of them valid, against each other. */
function checkSubscriber(
  subscriber: z.output<typeof subscriberFields>,
  context: z.core.$RefinementCtx,
): void {
  const problem = (path: PropertyKey[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  const { protocol, filterPolicy, filterPolicyScope, retries } = subscriber;
  const allowed = endpointProblem(subscriber);
  if (allowed !== undefined) problem(['endpoint'], allowed);
  if (subscriber.rawMessageDelivery && (protocol === 'lambda' || OWN_QUEUE.includes(protocol))) {
    problem(
      ['rawMessageDelivery'],
      protocol === 'lambda'
        ? 'false, since functions always get the envelope'
        : `false, or nothing, since protocol "${protocol}" never has the envelope`,
    );
  }
  for (const [field, owner] of Object.entries(ONLY_FOR)) {
    if (protocol === owner || subscriber[field as keyof typeof ONLY_FOR] === undefined) continue;
    problem([field], `nothing unless protocol is "${owner}"`);
  }
  if (protocol === 'firehose' && subscriber.subscriptionRoleArn === undefined) {
    problem(['subscriptionRoleArn'], 'ARN of an IAM role, which Firehose needs');
  }
  if (retries && retries.minDelaySeconds > retries.maxDelaySeconds) {
    problem(['retries'], 'minDelaySeconds of at most maxDelaySeconds');
  }
  if (retries && retries.count * retries.maxDelaySeconds > MAX_RETRY_SECONDS) {
    problem(['retries'], `count times maxDelaySeconds of at most ${MAX_RETRY_SECONDS} seconds`);
  }
  if (filterPolicy) {
    for (const { path, allowed } of filterPolicyProblems(filterPolicy, filterPolicyScope)) {
      problem(['filterPolicy', ...path], allowed);
    }
  }
}

/** The form that an endpoint must have and has not; undefined if nothing is wrong. */
function endpointProblem({
  protocol,
  endpoint,
  allowPrivateAddress,
}: z.output<typeof subscriberFields>): string | undefined {
  if (protocol === 'webhook') return webhookUrlProblem(endpoint, allowPrivateAddress === true);
  if (protocol === 'https') {
    const isHttps = URL.parse(endpoint)?.protocol === 'https:';
    return isHttps ? urlProblem(endpoint) : 'an https URL, since protocol is "https"';
  }
  const [pattern, allowed] = ARNS[protocol];
  return Token.isUnresolved(endpoint) || pattern.test(endpoint) ? undefined : allowed;
}
