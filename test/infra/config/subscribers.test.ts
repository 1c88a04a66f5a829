import { describe, expect, it } from 'vitest';
import { ConfigInvalidError, parseConfig } from '../../../infra/config/config.ts';
import { ADDRESSES } from '../../support/config-samples.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:orders';
const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';
const STREAM = 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/orders';
const ROLE = 'arn:aws:iam::123456789012:role/service-role/firehose';

const sqs = { name: 'queue', protocol: 'sqs', endpoint: QUEUE };
const lambda = { name: 'function', protocol: 'lambda', endpoint: FUNCTION };
const https = { name: 'web-hook', protocol: 'https', endpoint: 'https://hook.example/x?y=1' };
const delivery = { endpoint: STREAM, subscriptionRoleArn: ROLE };
const firehose = { name: 'lake', protocol: 'firehose', ...delivery };
const webhook = { name: 'orders', protocol: 'webhook', endpoint: 'https://hook.example/' };
const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/orders';
const bus = { name: 'bus', protocol: 'eventBridge', endpoint: BUS };

const filtered = (filterPolicy: unknown) => ({ ...sqs, filterPolicy });
const filteredByBody = (filterPolicy: unknown) => ({
  ...{ ...sqs, filterPolicyScope: 'MessageBody', filterPolicy },
});

const parse = (stage: object) => parseConfig({ dev: { ...ADDRESSES, ...stage } })['dev'];

/** The problems as lines, without `notifier.dev.` before them. */
function problemsOf(stage: object): string[] {
  try {
    parse(stage);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigInvalidError);
    const [, ...lines] = (error as Error).message.split('\n');
    return lines.map((line) => line.replace('  notifier.dev.', ''));
  }
  return [];
}

describe('subscribers', () => {
  it('of every protocol are taken, with defaults filled in', () => {
    const filled = { filterPolicyScope: 'MessageAttributes', rawMessageDelivery: false };
    const subscribers = [sqs, lambda, https, firehose, webhook, bus];
    expect(parse({ subscribers })?.subscribers).toEqual(
      subscribers.map((subscriber) => ({ ...subscriber, ...filled })),
    );
  });

  it.each([
    [{ ...sqs, endpoint: QUEUE.replace('arn:aws:', 'arn:aws-cn:') }],
    [{ ...lambda, endpoint: `${FUNCTION}:live` }],
    [{ ...sqs, rawMessageDelivery: true, filterPolicy: { changed: ['name', '*'] } }],
    [{ ...https, rawMessageDelivery: true, retries: { count: 100, maxDelaySeconds: 36 } }],
    [{ ...firehose, rawMessageDelivery: true }],
    [{ ...webhook, maxConcurrency: 1000, filterPolicy: { entity: ['sheet'] } }],
    [{ ...webhook, endpoint: 'https://10.0.0.1:8443/', allowPrivateAddress: true }],
    [{ ...webhook, endpoint: 'http://localhost:3000/hook', allowPrivateAddress: true }],
    [{ ...bus, endpoint: BUS.replace('orders', 'default'), filterPolicy: { entity: ['sheet'] } }],
    [filteredByBody({ data: { changed: ['name'] }, type: [{ prefix: 'project.' }] })],
    [filtered({ $or: [{ entity: ['sheet'] }, { action: ['deleted'] }] })],
  ])('like %j are taken', (subscriber) => {
    expect(problemsOf({ subscribers: [subscriber] })).toEqual([]);
  });

  it.each([
    [{ ...lambda, endpoint: QUEUE }, 'allowed: ARN of a Lambda function'],
    [{ ...firehose, endpoint: QUEUE }, 'allowed: ARN of a Firehose delivery stream'],
    [
      { ...https, endpoint: 'https://h.example/ x' },
      'endpoint is "https://h.example/ x"; allowed: a URL without white space',
    ],
    [{ ...https, endpoint: 'https://h.example/#x' }, 'allowed: a URL without fragment (#)'],
    [{ ...https, endpoint: QUEUE }, 'allowed: an https URL, since protocol is "https"'],
    [{ ...sqs, endpoint: 5 }, 'is 5; allowed: an ARN, or an https URL, as text, in quotes'],
    [{ ...firehose, subscriptionRoleArn: QUEUE }, 'allowed: ARN of an IAM role'],
    [
      { ...https, retries: { count: 101, maxDelaySeconds: 1 } },
      'retries.count is 101; allowed: a whole number',
    ],
    [{ ...sqs, topic: 'x' }, 'topic is not known; allowed: the fields name, protocol'],
    [filtered('all'), 'filterPolicy is "all"; allowed: an object'],
    [filtered({ entity: [] }), 'filterPolicy.entity is []; allowed: a list of at'],
    [
      filtered({ $or: [{ type: ['a'] }, { type: ['a', 5] }] }),
      'filterPolicy.$or[1].type[1] is 5; allowed: a text, in quotes',
    ],
    [
      filteredByBody({ data: { object: {} } }),
      'filterPolicy.data.object is {}; allowed: an object',
    ],
  ])('like %j are refused', (subscriber, problem) => {
    const problems = problemsOf({ subscribers: [subscriber] });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^subscribers\[0\]/);
    expect(problems[0]).toContain(problem);
  });

  it('have names that differ in more than hyphens, since outputs are named after them', () => {
    expect(problemsOf({ subscribers: [https, { ...sqs, name: 'webhook' }, 5] })).toEqual([
      expect.stringContaining('subscribers[2] is 5') as string,
      'subscribers[1].name is "webhook"; allowed: a name that no other entry has, with hyphens or without',
    ]);
  });

  it('do not have their password repeated', () => {
    const endpoint = 'https://someone:s3cret@hook.example/';
    const [problem] = problemsOf({ subscribers: [{ ...https, endpoint }] });
    expect(problem).toContain('subscribers[0].endpoint is "https://…@hook.example/"; allowed');
  });
});

describe('subscribers of a FIFO topic', () => {
  it.each([[lambda], [https], [firehose]])('are refused with the reason: %j', (subscriber) => {
    expect(problemsOf({ topicType: 'fifo', subscribers: [sqs, subscriber] })).toEqual([
      `subscribers[1].protocol is "${subscriber.protocol}"; allowed: "sqs", "webhook" or "eventBridge", since a FIFO topic delivers to SQS queues only, and the last two have one of their own: subscribe a queue and read that, or set topicType to "standard"`,
    ]);
  });

  it('may be webhooks and buses', () => {
    expect(problemsOf({ topicType: 'fifo', subscribers: [webhook, bus] })).toEqual([]);
  });

  it.each([QUEUE, `${QUEUE}.fifo`])('may be queues of both kinds: %s', (endpoint) => {
    expect(problemsOf({ topicType: 'fifo', subscribers: [{ ...sqs, endpoint }] })).toEqual([]);
  });

  it('are reported together with all other problems', () => {
    const stage = { topicType: 'fifo', perPage: 0, archiveDays: 366, subscribers: [https, null] };
    expect(problemsOf(stage).map((line) => line.split(' ', 1)[0])).toEqual(
      expect.arrayContaining([
        'perPage',
        'archiveDays',
        'subscribers[0].protocol',
        'subscribers[1]',
      ]),
    );
  });
});

describe('the archive', () => {
  it('belongs to a FIFO topic, which does without', () => {
    expect(parse({ topicType: 'fifo' })).not.toHaveProperty('archiveDays');
    expect(parse({ topicType: 'fifo', archiveDays: 365 })).toHaveProperty('archiveDays', 365);
    expect(problemsOf({ archiveDays: 1 })).toEqual([
      'archiveDays is 1; allowed: nothing, since only a FIFO topic has an archive (topicType "fifo")',
    ]);
  });
});
