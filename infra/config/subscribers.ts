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
import { webhookUrlProblem } from '../../functions/settings/service-url.ts';
import { filterPolicyProblems } from './filter-policy.ts';
import { isToken, reference } from './surroundings.ts';

const ARNS = {
  sqs: [/^arn:aws[\w-]*:sqs:[\w-]+:\d{12}:[\w-]{1,80}(\.fifo)?$/, 'an SQS queue'],
  lambda: [
    /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]{1,64}(:[\w$-]{1,128})?$/,
    'a Lambda function',
  ],
  firehose: [
    /^arn:aws[\w-]*:firehose:[\w-]+:\d{12}:deliverystream\/[\w.-]{1,64}$/,
    'a Firehose delivery stream',
  ],
  eventBridge: [/^arn:aws[\w-]*:events:[\w-]+:\d{12}:event-bus\/[\w./-]{1,256}$/, 'an event bus'],
} as const;

/** Fields that some protocols alone have. */
const ONLY_FOR = {
  rawMessageDelivery: ['sqs', 'firehose'],
  subscriptionRoleArn: ['firehose'],
  secretArn: ['webhook'],
  maxConcurrency: ['webhook'],
  allowPrivateAddress: ['webhook'],
} as const;

/** Fields of a webhook, besides those of every subscriber. */
const webhookFields = {
  /**
   * Complete ARN of the secret that signs: `whsec_` and the base64 of 24 to 64 bytes. Default: a
   * new secret. A key of its own must be `kmsKeyArn`.
   */
  secretArn: z.optional(
    reference(
      /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
      'complete ARN of a secret, with the six characters at its end; what it holds (whsec_…) ' +
        'belongs into Secrets Manager alone',
    ),
  ),
  /** Maximum function instances that deliver, each with ten requests in flight. Default: 5. */
  maxConcurrency: z.optional(whole(2, 1000, 'function instances')),
  /**
   * Whether the host of `endpoint` may have a private address. Default: false. Addresses of the
   * machine itself and link-local ones work on the local stack only, there also with http.
   */
  allowPrivateAddress: z.optional(trueOrFalse()),
};

const subscriberFields = fields({
  /** Unique name, for outputs and alarms. It may change: the endpoint keeps its resources. */
  name: matching(
    /^[a-z][a-z0-9-]{0,39}$/,
    'a name of at most 40 lower-case letters, digits and - that starts with a letter',
  ),
  /**
   * How events are delivered: `sqs`, `lambda`, `firehose`, `webhook` or `eventBridge`. A FIFO topic
   * has neither `lambda` nor `firehose`.
   */
  protocol: oneOf('sqs', 'lambda', 'firehose', 'webhook', 'eventBridge'),
  /**
   * ARN of the queue, function, delivery stream or event bus, or https URL of the webhook; unique.
   * A queue's policy must let the topic send. A function of another account needs a permission for
   * `sns.amazonaws.com`, and the stage its own `account`. An endpoint of another account must
   * confirm the subscription.
   */
  endpoint: text('an ARN, or an https URL'),
  /** SNS filter policy, with `$or` for two filters. Default: all events. */
  filterPolicy: z.optional(
    z.record(z.string(), z.unknown(), { error: 'an object: an SNS filter policy' }),
  ),
  /**
   * The part of the message that the policy filters: `MessageAttributes` or `MessageBody`. Default:
   * MessageAttributes.
   */
  filterPolicyScope: z._default(oneOf('MessageAttributes', 'MessageBody'), 'MessageAttributes'),
  /**
   * Whether a queue or stream gets the event without SNS's envelope. Default: false. Webhooks and
   * buses always do, functions never.
   */
  rawMessageDelivery: z.optional(trueOrFalse()),
  /** ARN of the role with which SNS writes to a Firehose stream; required there. Default: none. */
  subscriptionRoleArn: z.optional(
    reference(/^arn:aws[\w-]*:iam::\d{12}:role\/\S+$/, 'ARN of an IAM role'),
  ),
  ...webhookFields,
});

const subscriber = subscriberFields.check(z.superRefine(checkSubscriber));

/** One subscriber, checked, with defaults filled in. */
export type SubscriberConfig = z.output<typeof subscriber>;

/** The options of a webhook, with defaults filled in. */
export function webhookOptions(
  webhook: Pick<SubscriberConfig, 'maxConcurrency' | 'allowPrivateAddress'>,
) {
  const { maxConcurrency = 5, allowPrivateAddress = false } = webhook;
  return { maxConcurrency, allowPrivateAddress };
}

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
  return isToken(endpoint ?? '') ? endpoint : (URL.parse(endpoint ?? '')?.href ?? endpoint);
}

/** Checks fields, each of them valid, against each other. */
function checkSubscriber(
  entry: z.output<typeof subscriberFields>,
  context: z.core.$RefinementCtx,
): void {
  const problem = (path: PropertyKey[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  const { protocol, filterPolicy, filterPolicyScope } = entry;
  const allowed = endpointProblem(entry);
  if (allowed !== undefined) problem(['endpoint'], allowed);
  for (const [field, protocols] of Object.entries(ONLY_FOR)) {
    const isAllowed = (protocols as readonly string[]).includes(protocol);
    if (isAllowed || entry[field as keyof typeof ONLY_FOR] === undefined) continue;
    problem([field], `nothing unless protocol is "${protocols.join('" or "')}"`);
  }
  if (protocol === 'firehose' && entry.subscriptionRoleArn === undefined) {
    problem(['subscriptionRoleArn'], 'ARN of an IAM role, which Firehose needs');
  }
  if (filterPolicy === undefined) return;
  for (const each of filterPolicyProblems(filterPolicy, filterPolicyScope)) {
    problem(['filterPolicy', ...each.path], each.allowed);
  }
}

/** The form that an endpoint must have and has not; undefined if nothing is wrong. */
function endpointProblem(entry: z.output<typeof subscriberFields>): string | undefined {
  const { protocol, endpoint, allowPrivateAddress } = entry;
  if (protocol === 'webhook') return webhookUrlProblem(endpoint, allowPrivateAddress === true);
  const [pattern, noun] = ARNS[protocol];
  if (isToken(endpoint) || pattern.test(endpoint)) return undefined;
  return `ARN of ${noun}, since protocol is "${protocol}"`;
}
