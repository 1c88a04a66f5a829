import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetSubscriptionAttributesCommand, GetTopicAttributesCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Clients } from '../../../../infra/local/stack/clients.ts';
import { provision, type Provisioned } from '../../../../infra/local/stack/provision.ts';
import type { Template, TemplateResource } from '../../../../infra/local/stack/resolve-template.ts';
import { TemplateError } from '../../../../infra/local/stack/resolve-template.ts';
import { startClients } from '../../../support/embedded.ts';

function standUp(clients: Clients, template: Template): Promise<Provisioned> {
  const assetDirectory = (s3Key: string) => `/assets/${s3Key}`;
  return provision({ template, assetDirectory, remove: () => Promise.resolve() }, clients);
}

async function subscriptionAttributes({ sns }: Clients, SubscriptionArn: string | undefined) {
  const { Attributes } = await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
  return Attributes;
}

const FUNCTION: TemplateResource = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Key: 'code.zip' },
    Handler: 'index.handler',
    Runtime: `nodejs${process.versions.node.split('.', 1).join()}.x`,
  },
};

/** A function with changed properties. */
const withFunction = (properties: object): TemplateResource => ({
  ...FUNCTION,
  Properties: { ...FUNCTION.Properties, ...properties },
});

/** A queue and a function, for a mapping. */
const MAPPED: Template['Resources'] = { Queue: { Type: 'AWS::SQS::Queue' }, Work: FUNCTION };

const mapping = (properties: object): TemplateResource => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
    FunctionName: { Ref: 'Work' },
    ...properties,
  },
});

describe('provision', () => {
  it('creates a queue with the attributes of its properties, after the queue it refers to', async () => {
    const clients = await startClients();
    const { resources } = await standUp(clients, {
      Resources: {
        Work: {
          Type: 'AWS::SQS::Queue',
          Properties: {
            VisibilityTimeout: 77,
            RedrivePolicy: {
              deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] },
              maxReceiveCount: 3,
            },
          },
        },
        Dead: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
      },
    });
    const attributesOf = async (id: string) => {
      const QueueUrl = resources.get(id)?.ref;
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
      return (await clients.sqs.send(command)).Attributes;
    };
    const dead = await attributesOf('Dead');
    expect(dead).toMatchObject({ MessageRetentionPeriod: '1209600' });
    expect(resources.get('Dead')?.attributes['Arn']).toBe(dead?.QueueArn);
    const work = await attributesOf('Work');
    expect(work).toMatchObject({ VisibilityTimeout: '77' });
    expect(JSON.parse(work?.RedrivePolicy ?? '')).toEqual({
      deadLetterTargetArn: dead?.QueueArn,
      maxReceiveCount: 3,
    });
  });

  it('creates FIFO topics and queues, and subscriptions with their filter policy', async () => {
    const clients = await startClients();
    const { resources } = await standUp(clients, {
      Resources: {
        Topic: {
          Type: 'AWS::SNS::Topic',
          Properties: {
            ...{ FifoTopic: true, ContentBasedDeduplication: true, SignatureVersion: '2' },
            FifoThroughputScope: 'MessageGroup',
            ArchivePolicy: { MessageRetentionPeriod: 7 },
          },
        },
        Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: { Ref: 'Topic' },
            Protocol: 'sqs',
            Endpoint: { 'Fn::GetAtt': ['Queue', 'Arn'] },
            RawMessageDelivery: true,
            FilterPolicy: { entity: ['project'] },
          },
        },
      },
    });
    const topic = await clients.sns.send(
      new GetTopicAttributesCommand({ TopicArn: resources.get('Topic')?.ref }),
    );
    expect(topic.Attributes).toMatchObject({
      FifoTopic: 'true',
      ContentBasedDeduplication: 'true',
      FifoThroughputScope: 'MessageGroup',
      ArchivePolicy: '{"MessageRetentionPeriod":7}',
      SignatureVersion: '2',
    });
    const subscription = resources.get('Subscription')?.ref;
    expect(await subscriptionAttributes(clients, subscription)).toMatchObject({
      Endpoint: resources.get('Queue')?.attributes['Arn'],
      RawMessageDelivery: 'true',
      FilterPolicy: '{"entity":["project"]}',
    });
  });

  it.each([false, true])(
    'lets a queue stand in for each subscriber outside this machine (FIFO topic: %s)',
    async (isFifo) => {
      const clients = await startClients();
      const subscription = (Protocol: string, Endpoint: string, more: object = {}) => ({
        Type: 'AWS::SNS::Subscription',
        Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint, ...more },
      });
      const retries = { healthyRetryPolicy: { numRetries: 3 } };
      const { resources, standIns } = await standUp(clients, {
        Resources: {
          Topic: {
            Type: 'AWS::SNS::Topic',
            Properties: isFifo ? { FifoTopic: true, ContentBasedDeduplication: true } : {},
          },
          Function: subscription('lambda', 'arn:aws:lambda:us-east-1:000000000000:function:f'),
          Hook: subscription('https', 'https://hook.test/', { DeliveryPolicy: retries }),
          Elsewhere: subscription('sqs', 'arn:aws:sqs:eu-central-1:123456789012:changes', {
            RawMessageDelivery: true,
            FilterPolicy: { entity: ['project'] },
          }),
          Stream: subscription('firehose', 'arn:aws:firehose:us-east-1:0:deliverystream/s', {
            SubscriptionRoleArn: 'arn:aws:iam::0:role/r',
          }),
          Invoke: {
            Type: 'AWS::Lambda::Permission',
            Condition: 'IsOurs',
            Properties: { Principal: 'x' },
          },
        },
      });
      expect(standIns.map(({ protocol, isRaw }) => [protocol, isRaw])).toEqual([
        ['lambda', false],
        ['https', false],
        ['sqs', true],
        ['firehose', false],
      ]);
      const elsewhere = resources.get('Elsewhere')?.ref;
      expect(await subscriptionAttributes(clients, elsewhere)).toMatchObject({
        Protocol: 'sqs',
        Endpoint: expect.stringMatching(
          `^arn:aws:sqs:us-east-1:000000000000:[\\w-]+${isFifo ? '.fifo' : ''}$`,
        ) as unknown,
        FilterPolicy: '{"entity":["project"]}',
      });
    },
  );

  it.each([
    ['https', 'https://hook.test/'],
    ['sqs', 'arn:aws:sqs:eu-central-1:123456789012:changes'],
    ['sqs', { 'Fn::GetAtt': ['Queue', 'Arn'] }],
  ])(
    'refuses a second subscription by %s of %j with other attributes, as SNS does',
    async (Protocol, Endpoint) => {
      const subscription = (entity: string) => ({
        Type: 'AWS::SNS::Subscription',
        Properties: {
          ...{ TopicArn: { Ref: 'Topic' }, Protocol, Endpoint },
          FilterPolicy: { entity: [entity] },
        },
      });
      const subscribeTwice = async (...[first, second]: [string, string]) =>
        standUp(await startClients(), {
          Resources: {
            ...{ Topic: { Type: 'AWS::SNS::Topic' }, Queue: { Type: 'AWS::SQS::Queue' } },
            ...{ First: subscription(first), Second: subscription(second) },
          },
        });
      await subscribeTwice('project', 'project');
      await expect(subscribeTwice('project', 'sheet')).rejects.toThrow(
        'Subscription already exists with different attributes',
      );
    },
  );

  it('creates a bucket, by a name in lower-case letters', async () => {
    const clients = await startClients();
    const { resources } = await standUp(clients, {
      Resources: {
        LargeEvents: { Type: 'AWS::S3::Bucket', Properties: { LifecycleConfiguration: {} } },
        Policy: { Type: 'AWS::S3::BucketPolicy', Properties: { Bucket: { Ref: 'LargeEvents' } } },
        Named: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'of-this-name' } },
      },
    });
    for (const [id, name] of [
      ['LargeEvents', 'largeevents'],
      ['Named', 'of-this-name'],
    ] as const) {
      expect(resources.get(id)?.ref).toBe(name);
      expect(resources.get(id)?.attributes['Arn']).toBe(`arn:aws:s3:::${name}`);
      await clients.s3.send(new HeadBucketCommand({ Bucket: name }));
    }
  });

  it('creates a table with its keys', async () => {
    const clients = await startClients();
    const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' }];
    const { resources } = await standUp(clients, {
      Resources: {
        Table: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: {
            TableName: 'known',
            KeySchema,
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            BillingMode: 'PAY_PER_REQUEST',
            Replicas: [{ Region: 'us-east-1' }],
          },
        },
      },
    });
    expect(resources.get('Table')?.ref).toBe('known');
    const { Table } = await clients.dynamodb.send(
      new DescribeTableCommand({ TableName: resources.get('Table')?.ref }),
    );
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema,
    });
  });

  it('creates a secret empty unless the template generates a value', async () => {
    const clients = await startClients();
    const { resources } = await standUp(clients, {
      Resources: {
        Empty: { Type: 'AWS::SecretsManager::Secret' },
        Generated: {
          Type: 'AWS::SecretsManager::Secret',
          Properties: {
            GenerateSecretString: {
              ...{ SecretStringTemplate: '{"prefix":"whsec_"}', GenerateStringKey: 'key' },
              ...{ PasswordLength: 20, ExcludePunctuation: true },
            },
          },
        },
      },
    });
    const valueOf = async (id: string) => {
      const SecretId = resources.get(id)?.ref;
      const answer = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId }));
      return answer.SecretString;
    };
    await expect(valueOf('Empty')).rejects.toThrow('AWSCURRENT');
    expect(JSON.parse((await valueOf('Generated')) ?? '')).toEqual({
      prefix: 'whsec_',
      key: expect.stringMatching(/^[A-Za-z\d]{20}$/) as string,
    });
  });

  it('registers functions and schedules, and resolves outputs', async () => {
    const clients = await startClients();
    const provisioned = await standUp(clients, {
      Resources: {
        Schedule: {
          Type: 'AWS::Scheduler::Schedule',
          Properties: {
            ScheduleExpression: 'rate(2 minutes)',
            Target: { Arn: { 'Fn::GetAtt': ['Poller', 'Arn'] }, Input: '{"shard":"0"}' },
          },
        },
        Poller: withFunction({
          Environment: { Variables: { QUEUE: { Ref: 'Queue' }, LEVEL: 3 } },
          Timeout: 55,
        }),
        Queue: { Type: 'AWS::SQS::Queue' },
      },
      Outputs: { QueueUrl: { Value: { Ref: 'Queue' } } },
    });
    const { resources, functions, schedules, outputs } = provisioned;
    expect(functions).toMatchObject([
      {
        handler: 'index.handler',
        codeDirectory: '/assets/code.zip',
        timeoutSeconds: 55,
        memoryMb: 128,
        environment: { QUEUE: resources.get('Queue')?.ref, LEVEL: '3' },
      },
    ]);
    expect(schedules).toMatchObject([
      { expression: 'rate(2 minutes)', targetArn: functions[0]?.arn, input: '{"shard":"0"}' },
    ]);
    expect(outputs).toEqual({ QueueUrl: resources.get('Queue')?.ref });
  });

  it('registers event source mappings of its queues, enabled unless the template says otherwise', async () => {
    const clients = await startClients();
    const { resources, mappings, functions } = await standUp(clients, {
      Resources: {
        ...MAPPED,
        Mapping: mapping({
          BatchSize: 7,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: 4 },
        }),
        Off: mapping({ Enabled: 'false', FunctionName: { 'Fn::GetAtt': ['Work', 'Arn'] } }),
      },
    });
    const { ref: uuid = '', attributes } = resources.get('Mapping') ?? {};
    expect(uuid).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    const arn = `arn:aws:lambda:us-east-1:000000000000:event-source-mapping:${uuid}`;
    expect(attributes).toEqual({ Id: uuid, EventSourceMappingArn: arn });
    const queueArn = resources.get('Queue')?.attributes['Arn'];
    const common = {
      functionArn: functions[0]?.arn,
      queueArn,
      queueUrl: resources.get('Queue')?.ref,
    };
    expect(mappings).toEqual([
      {
        uuid,
        arn,
        ...common,
        batchSize: 7,
        maxConcurrency: 4,
        hasItemFailures: true,
        isEnabled: true,
      },
      expect.objectContaining({
        ...common,
        batchSize: 10,
        hasItemFailures: false,
        isEnabled: false,
      }),
    ]);
  });

  it('lets the queue of a pipe stand in for its bus', async () => {
    const clients = await startClients();
    const endpoint = 'arn:aws:events:eu-central-1:123456789012:event-bus/changes';
    const { resources, standIns } = await standUp(clients, {
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue' },
        Pipe: {
          Type: 'AWS::Pipes::Pipe',
          Properties: {
            Source: { 'Fn::GetAtt': ['Queue', 'Arn'] },
            Target: endpoint,
            TargetParameters: { InputTemplate: '<$.body>' },
            RoleArn: 'role',
          },
        },
      },
    });
    const queueUrl = resources.get('Queue')?.ref;
    expect(standIns).toEqual([{ protocol: 'eventBridge', endpoint, queueUrl, isRaw: true }]);
  });

  it('creates the topic of alarms, but neither alarms, a dashboard nor e-mail', async () => {
    const clients = await startClients();
    const Type = 'AWS::SNS::Subscription';
    const { resources, standIns } = await standUp(clients, {
      Resources: {
        Topic: { Type: 'AWS::SNS::Topic' },
        Email: {
          Type,
          Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'email', Endpoint: 'a@x.test' },
        },
        Alarm: {
          Type: 'AWS::CloudWatch::Alarm',
          Properties: { AlarmActions: [{ Ref: 'Topic' }] },
        },
        Dashboard: { Type: 'AWS::CloudWatch::Dashboard' },
        Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'group' } },
      },
    });
    expect(standIns).toEqual([]);
    const subscription = resources.get('Email')?.ref;
    await expect(subscriptionAttributes(clients, subscription)).rejects.toThrow();
    expect(resources.get('Alarm')?.attributes['Arn']).toMatch(/:alarm:Alarm$/);
    expect(resources.get('Group')?.attributes['Arn']).toMatch(/:schedule-group\/Group$/);
  });

  const sms = { TopicArn: 't', Protocol: 'sms', Endpoint: '+123' };

  it.each<[string, TemplateResource, string]>([
    [
      'type',
      { Type: 'AWS::EC2::Instance' },
      'Thing (AWS::EC2::Instance): the local stack does not',
    ],
    ['protocol', { Type: 'AWS::SNS::Subscription', Properties: sms }, 'Protocol'],
    ['size of a batch', mapping({ BatchSize: 11 }), 'BatchSize'],
    [
      'stream',
      mapping({ EventSourceArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/s' }),
      'the local stack reads queues of the template only, and arn:aws:kinesis',
    ],
    [
      'queue',
      mapping({ EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:other' }),
      'the local stack reads queues of the template only, and arn:aws:sqs',
    ],
    ['runtime', withFunction({ Runtime: 'nodejs18.x' }), 'the local stack runs on nodejs'],
  ])('names the %s that it does not know', async (_, resource, message) => {
    const created = standUp(await startClients(), {
      Resources: { ...MAPPED, Thing: resource },
    });
    await expect(created).rejects.toThrow(TemplateError);
    await expect(created).rejects.toThrow(message);
  });
});
