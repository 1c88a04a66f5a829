import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { onlyResource, templateOf } from '../../synthesize.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:orders';
const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';
const STREAM = 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/orders';
const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/company';
const ROLE = 'arn:aws:iam::123456789012:role/firehose';

const SUBSCRIBERS = [
  {
    name: 'queue',
    protocol: 'sqs',
    endpoint: QUEUE,
    rawMessageDelivery: true,
    filterPolicy: { entity: ['floorplan'] },
  },
  { name: 'function', protocol: 'lambda', endpoint: FUNCTION },
  { name: 'lake', protocol: 'firehose', endpoint: STREAM, subscriptionRoleArn: ROLE },
];

type Properties = Readonly<Record<string, unknown>>;

/** The resources of a type that subscriptions wait for, by the subscription's endpoint. */
function awaited(from: Template, type: string): [endpoint: unknown, ids: string[]][] {
  const ofType = Object.keys(from.findResources(type));
  return Object.values(from.findResources('AWS::SNS::Subscription')).map((each) => {
    const { Properties, DependsOn = [] } = each as {
      Properties: { Endpoint: unknown };
      DependsOn?: string[];
    };
    return [Properties.Endpoint, DependsOn.filter((id) => ofType.includes(id))];
  });
}

/** The dead-letter queue in the redrive policy of a subscription or a queue. */
function targetOf({ RedrivePolicy }: Properties): string | undefined {
  const policy = RedrivePolicy as { deadLetterTargetArn: { 'Fn::GetAtt': string[] } } | undefined;
  return policy?.deadLetterTargetArn['Fn::GetAtt'][0];
}

/** The dead-letter queue of the one subscription with the endpoint. */
function deadLettersOf(from: Template, endpoint: string): string {
  const subscriptions = from.findResources('AWS::SNS::Subscription', {
    Properties: { Endpoint: endpoint },
  });
  const [subscription] = Object.values(subscriptions);
  return targetOf((subscription as { Properties: Properties }).Properties) ?? '';
}

describe('subscribers of the config', () => {
  const template = templateOf({ subscribers: SUBSCRIBERS });

  it('are subscribed once the topic may send to their dead letters', () => {
    const policies = template.findResources('AWS::SQS::QueuePolicy');
    for (const [endpoint, ids] of awaited(template, 'AWS::SQS::QueuePolicy')) {
      const queues = ids.map((id) => (policies[id] as { Properties: Properties }).Properties);
      const expected = { Queues: [{ Ref: deadLettersOf(template, String(endpoint)) }] };
      expect(queues, String(endpoint)).toMatchObject([expected]);
    }
  });

  it.each([{}, { shards: 4 }, { reconcile: { schedule: 'weekly' } }])(
    'are subscribed before any schedule starts: %j',
    (config) => {
      const subscribers = [
        ...SUBSCRIBERS,
        { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' },
        { name: 'bus', protocol: 'eventBridge', endpoint: BUS },
      ];
      // Without account and region a condition decides on the function's permission.
      const all = templateOf({ ...config, subscribers });
      const ids = Object.keys(all.findResources('AWS::SNS::Subscription'));
      expect(ids).toHaveLength(subscribers.length);
      for (const schedule of Object.values(all.findResources('AWS::Scheduler::Schedule'))) {
        const { DependsOn } = schedule as { DependsOn: string[] };
        expect(DependsOn).toEqual(expect.arrayContaining(ids));
      }
    },
  );

  it.each(['standard', 'fifo'])(
    'of a %s topic: only dead letters of a queue admit one',
    (topicType) => {
      const own = [
        { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' },
        { name: 'bus', protocol: 'eventBridge', endpoint: BUS },
      ];
      const subscribers = topicType === 'fifo' ? own : [...SUBSCRIBERS, ...own];
      const resources = templateOf({ topicType, subscribers }).findResources('AWS::SQS::Queue');
      const queues = Object.entries(resources).map(
        ([id, queue]) => [id, (queue as { Properties: Properties }).Properties] as const,
      );
      const targets = queues.flatMap(([, properties]) => targetOf(properties) ?? []);
      expect(targets).toHaveLength(own.length);
      for (const [id, { RedriveAllowPolicy }] of queues) {
        const denyAll = { redrivePermission: 'denyAll' };
        expect(RedriveAllowPolicy, id).toEqual(targets.includes(id) ? undefined : denyAll);
      }
    },
  );

  it('have dead-letter queues of the type of the topic, as SNS requires', () => {
    const fifo = templateOf({
      topicType: 'fifo',
      subscribers: [
        { name: 'ordered', protocol: 'sqs', endpoint: `${QUEUE}.fifo` },
        { name: 'plain', protocol: 'sqs', endpoint: QUEUE },
      ],
    });
    const isFifo = (from: Template, endpoint: string): unknown => {
      const queue = from.findResources('AWS::SQS::Queue')[deadLettersOf(from, endpoint)];
      return (queue as { Properties: Properties }).Properties['FifoQueue'];
    };
    expect(isFifo(fifo, `${QUEUE}.fifo`)).toBe(true);
    expect(isFifo(fifo, QUEUE)).toBe(true);
    expect(isFifo(template, QUEUE)).toBeUndefined();
  });
});

describe('a function that subscribes', () => {
  const subscribers = SUBSCRIBERS.filter(({ protocol }) => protocol === 'lambda');
  const [account, region] = ['123456789012', 'eu-central-1'];

  it.each([{ account, region }, {}])('gets its permission from a stack with %j', (place) => {
    const template = templateOf({ ...place, subscribers });
    expect(Object.values(template.findResources('AWS::Lambda::Permission'))).toEqual([
      {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: FUNCTION,
          Principal: 'sns.amazonaws.com',
          SourceArn: { Ref: onlyResource(template, 'AWS::SNS::Topic', /NotifierTopic/).id },
        },
      },
    ]);
    const ids = Object.keys(template.findResources('AWS::Lambda::Permission'));
    expect(awaited(template, 'AWS::Lambda::Permission')).toEqual([[FUNCTION, ids]]);
  });

  it.each([
    [{ account: '210987654321', region }],
    [{ account, region: 'eu-west-1' }],
    [{ account: '210987654321' }],
    [{ region: 'eu-west-1' }],
  ])('gets no permission from a stack elsewhere: %j', (place) => {
    const template = templateOf({ ...place, subscribers });
    template.resourceCountIs('AWS::SNS::Subscription', 1);
    template.resourceCountIs('AWS::Lambda::Permission', 0);
  });
});
