import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { makeTemplate } from '../synthesize.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:123456789012:orders';
const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';
const HOOK = 'https://hook.example/events';
const STREAM = 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/orders';
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
  {
    name: 'web-hook',
    protocol: 'https',
    endpoint: HOOK,
    filterPolicyScope: 'MessageBody',
    filterPolicy: { data: { changed: ['name'] } },
  },
  { name: 'lake', protocol: 'firehose', endpoint: STREAM, subscriptionRoleArn: ROLE },
];

type Properties = Readonly<Record<string, unknown>>;

function only(from: Template, type: string): { id: string; properties: Properties } {
  const found = Object.entries(from.findResources(type));
  expect(found, type).toHaveLength(1);
  const [[id, resource] = ['', {}]] = found;
  return { id, properties: (resource as { Properties: Properties }).Properties };
}

/** The dead-letter queue of the one subscription with the endpoint. */
function deadLettersOf(from: Template, endpoint: string): string {
  const subscriptions = from.findResources('AWS::SNS::Subscription', {
    Properties: { Endpoint: endpoint },
  });
  const [subscription] = Object.values(subscriptions);
  const { RedrivePolicy } = (subscription as { Properties: Properties }).Properties;
  const { deadLetterTargetArn } = RedrivePolicy as {
    deadLetterTargetArn: { 'Fn::GetAtt': [string, string] };
  };
  return deadLetterTargetArn['Fn::GetAtt'][0];
}

describe('the topic', () => {
  it('is a standard one that signs with SHA-256', () => {
    const { properties } = only(makeTemplate(), 'AWS::SNS::Topic');
    expect(properties).toEqual({
      KmsMasterKeyId: expect.anything() as unknown,
      SignatureVersion: '2',
    });
  });

  it('is a FIFO topic if asked, with ids to tell repeats and a throughput per entity', () => {
    const { properties } = only(makeTemplate({ topicType: 'fifo' }), 'AWS::SNS::Topic');
    expect(properties).toMatchObject({
      FifoTopic: true,
      ContentBasedDeduplication: false,
      FifoThroughputScope: 'MessageGroup',
      SignatureVersion: '2',
      TopicName: expect.stringMatching(/\.fifo$/) as string,
    });
    expect(properties).not.toHaveProperty('ArchivePolicy');
  });

  it('has an archive if asked', () => {
    const fifo = makeTemplate({ topicType: 'fifo', archiveDays: 30 });
    expect(only(fifo, 'AWS::SNS::Topic').properties['ArchivePolicy']).toEqual({
      MessageRetentionPeriod: 30,
    });
  });
});

describe('the bucket of large events', () => {
  it('is private and encrypted, forgets after 30 days, and stays when the stack goes', () => {
    for (const removalPolicy of ['retain', 'destroy']) {
      makeTemplate({ removalPolicy }).hasResource('AWS::S3::Bucket', {
        DeletionPolicy: 'Retain',
        Properties: {
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
          LifecycleConfiguration: {
            Rules: [
              { Prefix: 'events/', ExpirationInDays: 30, Status: 'Enabled', Id: 'Expire' },
              {
                AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
                Status: 'Enabled',
                Id: 'AbortUploads',
              },
            ],
          },
        },
      });
    }
  });

  it.each([
    [7, 30],
    [365, 365],
  ])('keeps what an archive of %i days may hand out again: for %i days', (archiveDays, days) => {
    const { properties } = only(
      makeTemplate({ topicType: 'fifo', archiveDays }),
      'AWS::S3::Bucket',
    );
    expect(properties['LifecycleConfiguration']).toMatchObject({
      Rules: [{ Id: 'Expire', ExpirationInDays: days }, {}],
    });
  });

  function statementsOf(config: Record<string, unknown>): Record<string, unknown>[] {
    const { properties } = only(makeTemplate(config), 'AWS::S3::BucketPolicy');
    return (properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement;
  }
  const events = { 'Fn::Join': ['', [expect.anything(), '/events/*']] };

  it('refuses what comes without TLS, and lets nobody else in', () => {
    expect(statementsOf({})).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
  });

  it('lets the accounts and the organisation that may subscribe read events, and nothing else', () => {
    const config = { organisationId: 'o-a1b2c3d4e5', subscriberAccountIds: ['210987654321'] };
    const allowed = statementsOf(config).filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toMatchObject([
      { Sid: 'ReadFromAccounts', Action: 's3:GetObject', Resource: events },
      {
        Sid: 'ReadFromOrganisation',
        Action: 's3:GetObject',
        Resource: events,
        Principal: { AWS: '*' },
        Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' } },
      },
    ]);
    expect(JSON.stringify(allowed[0]?.['Principal'])).toContain('iam::210987654321:root');
  });

  it('can be opened to a reader by the construct', () => {
    const template = makeTemplate({}, (stack) => {
      const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
      stack.notifier.grantReadLargeEvents(new Role(stack, 'Reader', { assumedBy }));
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('Reader'),
      PolicyDocument: {
        Statement: [Match.objectLike({ Action: 's3:GetObject', Effect: 'Allow' })],
      },
    });
  });
});

describe('subscribers of the config', () => {
  const template = makeTemplate({ subscribers: SUBSCRIBERS });

  it('are subscribed just as the config says', () => {
    const TopicArn = { Ref: only(template, 'AWS::SNS::Topic').id };
    const subscriptions = Object.values(template.findResources('AWS::SNS::Subscription'));
    const properties = subscriptions.map((each) => (each as { Properties: Properties }).Properties);
    const RedrivePolicy = { deadLetterTargetArn: expect.anything() as unknown };
    expect(properties).toEqual([
      {
        TopicArn,
        RedrivePolicy,
        Protocol: 'sqs',
        Endpoint: QUEUE,
        RawMessageDelivery: true,
        FilterPolicy: { entity: ['floorplan'] },
        FilterPolicyScope: 'MessageAttributes',
      },
      { TopicArn, RedrivePolicy, Protocol: 'lambda', Endpoint: FUNCTION },
      {
        TopicArn,
        RedrivePolicy,
        Protocol: 'https',
        Endpoint: HOOK,
        FilterPolicy: { data: { changed: ['name'] } },
        FilterPolicyScope: 'MessageBody',
        DeliveryPolicy: {
          healthyRetryPolicy: {
            numRetries: 50,
            minDelayTarget: 1,
            maxDelayTarget: 60,
            backoffFunction: 'exponential',
          },
          requestPolicy: { headerContentType: 'application/json' },
        },
      },
      {
        TopicArn,
        RedrivePolicy,
        Protocol: 'firehose',
        Endpoint: STREAM,
        SubscriptionRoleArn: ROLE,
      },
    ]);
  });

  it('have an https endpoint tried as often as the config says', () => {
    const retries = { count: 3, minDelaySeconds: 2, maxDelaySeconds: 20 };
    const [, , hook] = SUBSCRIBERS;
    makeTemplate({ subscribers: [{ ...hook, retries }] }).hasResourceProperties(
      'AWS::SNS::Subscription',
      {
        DeliveryPolicy: Match.objectLike({
          healthyRetryPolicy: Match.objectLike({
            numRetries: 3,
            minDelayTarget: 2,
            maxDelayTarget: 20,
          }),
        }),
      },
    );
  });

  it('have a queue each for what could not be delivered, which only the topic may fill', () => {
    const queues = SUBSCRIBERS.map(({ endpoint }) => deadLettersOf(template, endpoint));
    expect(new Set(queues).size).toBe(SUBSCRIBERS.length);
    for (const queue of queues) {
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: queue }],
        PolicyDocument: {
          Statement: [
            Match.objectLike({ Effect: 'Deny', Action: 'sqs:*' }),
            Match.objectLike({
              Effect: 'Allow',
              Action: 'sqs:SendMessage',
              Principal: { Service: 'sns.amazonaws.com' },
              Resource: { 'Fn::GetAtt': [queue, 'Arn'] },
              Condition: {
                ArnEquals: { 'aws:SourceArn': { Ref: only(template, 'AWS::SNS::Topic').id } },
              },
            }),
          ],
        },
      });
    }
    template.allResourcesProperties('AWS::SQS::Queue', {
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
  });

  it('find that queue in the outputs', () => {
    const outputs = template.findOutputs('*');
    const names = ['queue', 'function', 'webhook', 'lake'].map((name) => `DeadLettersUrl${name}`);
    expect(names.map((name) => outputs[name]?.['Value'] as unknown)).toEqual(
      SUBSCRIBERS.map(({ endpoint }) => ({ Ref: deadLettersOf(template, endpoint) })),
    );
  });

  it('have queues of the kind of the topic for what could not be delivered, as SNS wants them', () => {
    const fifo = makeTemplate({
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
  const inAccount = { 'Fn::Equals': [{ Ref: 'AWS::AccountId' }, account] };
  const inRegion = { 'Fn::Equals': [{ Ref: 'AWS::Region' }, region] };

  it('is let invoke by the topic if it is of the same account and region', () => {
    const template = makeTemplate({ account, region, subscribers });
    expect(Object.values(template.findResources('AWS::Lambda::Permission'))).toEqual([
      {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: FUNCTION,
          Principal: 'sns.amazonaws.com',
          SourceArn: { Ref: only(template, 'AWS::SNS::Topic').id },
        },
      },
    ]);
    expect(template.findConditions('*')).toEqual({});
  });

  it.each([
    [{ account: '210987654321', region }],
    [{ account, region: 'eu-west-1' }],
    [{ account: '210987654321' }],
    [{ region: 'eu-west-1' }],
  ])('is subscribed, and let invoke by its owner, if the stack is elsewhere: %j', (place) => {
    const template = makeTemplate({ ...place, subscribers });
    template.resourceCountIs('AWS::SNS::Subscription', 1);
    template.resourceCountIs('AWS::Lambda::Permission', 0);
  });

  it.each([
    [{}, { 'Fn::And': [inAccount, inRegion] }],
    [{ account }, inRegion],
    [{ region }, inAccount],
  ])('is let invoke if the place shows so on deployment, when the config says: %j', (place, is) => {
    const template = makeTemplate({ ...place, subscribers });
    const [permission] = Object.values(template.findResources('AWS::Lambda::Permission'));
    const { Condition } = permission as { Condition: string };
    expect(template.findConditions(Condition)).toEqual({ [Condition]: is });
  });
});
