import * as z from 'zod';
import { filterPolicyProblems } from './filter-policy.ts';
import { fields, list, matching, oneOf, whole } from './schema.ts';

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
} as const;
const HTTPS_URL =
  'an https URL without user, password, fragment and white space, since protocol is "https"';

/** SNS gives up on an endpoint after so long, whatever it is told. */
const MOST_RETRY_SECONDS = 3600;

const retries = fields({
  /** How often SNS tries again to reach the endpoint. */
  count: whole(0, 100, 'retries').default(50),
  /** Shortest wait between two tries. */
  minDelaySeconds: whole(1, MOST_RETRY_SECONDS, 'seconds').default(1),
  /** Longest wait between two tries; the waits grow towards it. */
  maxDelaySeconds: whole(1, MOST_RETRY_SECONDS, 'seconds').default(60),
});

/** How SNS goes on trying an https endpoint about which the config says nothing. */
export const DEFAULT_RETRIES = retries.parse({});

/** What {@link checkSubscriber} needs of a subscriber whose fields are right, each for itself. */
type Fields = z.output<typeof subscriberFields>;

const subscriberFields = fields({
  /** Unique name; outputs and resources are named after it. */
  name: matching(
    /^[a-z][a-z0-9-]{0,39}$/,
    'a name of at most 40 lower-case letters, digits and - that starts with a letter',
  ),
  /** How events are delivered. A FIFO topic delivers to queues only. */
  protocol: oneOf('sqs', 'lambda', 'https', 'firehose'),
  /**
   * Where to: the ARN of the queue, function or delivery stream, or the https URL. A queue's own policy
   * must let the topic send to it; an endpoint of another account has to confirm the subscription. A
   * function of the stack's account and region is opened to the topic; one of another account or region
   * has to be by its owner, there (`aws lambda add-permission`, principal `sns.amazonaws.com`, source
   * ARN the topic).
   */
  endpoint: z.string({ error: 'an ARN, or an https URL' }),
  /** SNS filter policy. Absent: all events. */
  filterPolicy: z
    .record(z.string(), z.unknown(), { error: 'an object: an SNS filter policy' })
    .optional(),
  /**
   * What the filter policy is about. With `MessageBody` a condition on `data` is not met by events that
   * are too large for the topic, since their data is not in the message.
   */
  filterPolicyScope: oneOf('MessageAttributes', 'MessageBody').default('MessageAttributes'),
  /** Deliver the event alone, without SNS's envelope. Not for functions. */
  rawMessageDelivery: z.boolean({ error: 'true or false' }).default(false),
  /** ARN of the role by which SNS writes to a Firehose delivery stream; needed there. */
  subscriptionRoleArn: matching(
    /^arn:aws[\w-]*:iam::\d{12}:role\/\S+$/,
    'ARN of an IAM role',
  ).optional(),
  /**
   * How SNS goes on trying an https endpoint that fails: absent, 50 times within 50 minutes. Queues,
   * functions and delivery streams are tried for 23 days. What is not delivered in the end lies in the
   * subscriber's dead-letter queue.
   */
  retries: retries.optional(),
});

const subscriber = subscriberFields.superRefine(checkSubscriber);

/** One subscriber, checked, with defaults filled in. */
export type SubscriberConfig = z.output<typeof subscriber>;

/** Subscribers that are deployed together with the topic. */
export const subscribers = list(subscriber, 'a list of subscribers').superRefine(
  (subscribers, context) => {
    // Outputs are named after them, without the hyphens.
    const names = subscribers.map((item) => nameOf(item)?.replaceAll('-', ''));
    for (const index of names.keys()) {
      if (names[index] === undefined || names.indexOf(names[index]) === index) continue;
      const message = 'a name that no other entry has, hyphens left out';
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  },
  // Also when an entry is wrong, so that all problems are told at once.
  { when: ({ value }) => Array.isArray(value) },
);

/** The name of what may be anything yet. */
function nameOf(item: unknown): string | undefined {
  const name = (item as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
}

function checkSubscriber(subscriber: Fields, context: z.RefinementCtx): void {
  const problem = (path: PropertyKey[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  const { protocol, endpoint, filterPolicy, filterPolicyScope, retries } = subscriber;
  if (protocol === 'https') {
    if (!isHttpsUrl(endpoint)) problem(['endpoint'], HTTPS_URL);
  } else {
    const [pattern, allowed] = ARNS[protocol];
    if (!pattern.test(endpoint)) problem(['endpoint'], allowed);
  }
  if (protocol === 'lambda' && subscriber.rawMessageDelivery) {
    problem(['rawMessageDelivery'], 'false, since functions always get the envelope');
  }
  const hasRole = subscriber.subscriptionRoleArn !== undefined;
  if (hasRole !== (protocol === 'firehose')) {
    problem(
      ['subscriptionRoleArn'],
      hasRole
        ? 'nothing unless protocol is "firehose"'
        : 'ARN of an IAM role, which Firehose needs',
    );
  }
  if (retries && protocol !== 'https') problem(['retries'], 'nothing unless protocol is "https"');
  if (retries && retries.minDelaySeconds > retries.maxDelaySeconds) {
    problem(['retries'], 'minDelaySeconds of at most maxDelaySeconds');
  }
  if (retries && retries.count * retries.maxDelaySeconds > MOST_RETRY_SECONDS) {
    problem(['retries'], `count times maxDelaySeconds of at most ${MOST_RETRY_SECONDS} seconds`);
  }
  if (filterPolicy) {
    for (const { path, allowed } of filterPolicyProblems(filterPolicy, filterPolicyScope)) {
      problem(['filterPolicy', ...path], allowed);
    }
  }
}

function isHttpsUrl(text: string): boolean {
  const url = URL.parse(text);
  // URL.parse drops white space and turns backslashes round; SNS does not.
  if (url?.protocol !== 'https:' || /[#\s\\\p{Cc}]/u.test(text)) return false;
  return url.username === '' && url.password === '';
}
