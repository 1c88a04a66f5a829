import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetSubscriptionAttributesCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { provision } from '../../../../infra/local/stack/provision.ts';
import type { Template } from '../../../../infra/local/stack/resolve-template.ts';
import { startClients } from '../../../support/embedded.ts';

async function standUp(Resources: Template['Resources'], Outputs: Template['Outputs'] = {}) {
  const clients = await startClients();
  const assetDirectory = (s3Key: string) => `/assets/${s3Key}`;
  const provisioned = await provision(
    { template: { Resources, Outputs }, assetDirectory },
    clients,
  );
  const refOf = (id: string): string => provisioned.resources.get(id)?.ref ?? '';
  return { ...provisioned, clients, refOf };
}

it('creates a queue with its attributes, after the queue to which it refers', async () => {
  const deadLetterTargetArn = { 'Fn::GetAtt': ['Dead', 'Arn'] };
  const RedrivePolicy = { deadLetterTargetArn, maxReceiveCount: 3 };
  const { clients, refOf } = await standUp({
    Work: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 77, RedrivePolicy } },
    Dead: { Type: 'AWS::SQS::Queue' },
  });
  const command = new GetQueueAttributesCommand({
    QueueUrl: refOf('Work'),
    AttributeNames: ['All'],
  });
  const { Attributes = {} } = await clients.sqs.send(command);
  expect(Attributes).toMatchObject({ VisibilityTimeout: '77' });
  expect(Attributes.RedrivePolicy).toContain(':Dead');
});

it('creates a table, a bucket, and secrets that are empty or generated', async () => {
  const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' }];
  const AttributeDefinitions = [{ AttributeName: 'pk', AttributeType: 'S' }];
  const { clients, refOf } = await standUp({
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: { KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' },
    },
    LargeEvents: { Type: 'AWS::S3::Bucket' },
    Empty: { Type: 'AWS::SecretsManager::Secret' },
    Generated: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: {
        GenerateSecretString: {
          ...{ SecretStringTemplate: '{"prefix":"whsec_"}', GenerateStringKey: 'key' },
          PasswordLength: 20,
        },
      },
    },
  });
  const describe = new DescribeTableCommand({ TableName: refOf('Table') });
  expect((await clients.dynamodb.send(describe)).Table).toMatchObject({ KeySchema });
  await clients.s3.send(new HeadBucketCommand({ Bucket: refOf('LargeEvents') }));
  const valueOf = async (id: string) =>
    (await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: refOf(id) })))
      .SecretString;
  await expect(valueOf('Empty')).rejects.toThrow('AWSCURRENT');
  expect(await valueOf('Generated')).toMatch(/^{"prefix":"whsec_","key":"[A-Za-z\d]{20}"}$/);
});

it.each([false, true])('gives subscribers elsewhere stub queues (FIFO: %s)', async (isFifo) => {
  const subscription = (Protocol: string, Endpoint: unknown, more: object = {}) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint, ...more },
  });
  const elsewhere = 'arn:aws:sqs:eu-central-1:123456789012:changes';
  const bus = 'arn:aws:events:eu-central-1:123456789012:event-bus/changes';
  const fifo = { TopicName: 'topic.fifo', FifoTopic: true, ContentBasedDeduplication: true };
  const more = { RawMessageDelivery: true, FilterPolicy: { entity: ['project'] } };
  const queueArn = { 'Fn::GetAtt': ['Queue', 'Arn'] };
  const { clients, refOf, resources, stubQueues } = await standUp({
    Topic: { Type: 'AWS::SNS::Topic', Properties: isFifo ? fifo : {} },
    Queue: { Type: 'AWS::SQS::Queue', Properties: isFifo ? { FifoQueue: true } : {} },
    Email: subscription('email', 'a@x.test'),
    Local: subscription('sqs', queueArn, more),
    Elsewhere: subscription('sqs', elsewhere, more),
    Function: subscription('lambda', 'arn:aws:lambda:us-east-1:000000000000:function:f'),
    Pipe: { Type: 'AWS::Pipes::Pipe', Properties: { Source: queueArn, Target: bus } },
  });
  expect(stubQueues).toMatchObject([
    { protocol: 'sqs', endpoint: elsewhere },
    { protocol: 'lambda' },
    { protocol: 'eventBridge', endpoint: bus, queueUrl: refOf('Queue') },
  ]);
  const SubscriptionArn = refOf('Local');
  const get = new GetSubscriptionAttributesCommand({ SubscriptionArn });
  expect((await clients.sns.send(get)).Attributes).toMatchObject({
    Endpoint: resources.get('Queue')?.attributes['Arn'],
    RawMessageDelivery: 'true',
    FilterPolicy: '{"entity":["project"]}',
  });
});

it('registers functions, schedules and mappings, and resolves outputs', async () => {
  const joined = { 'Fn::Join': [':', [{ Ref: 'AWS::Region' }, { Ref: 'Queue' }]] };
  const { functions, schedules, mappings, outputs, refOf } = await standUp(
    {
      Schedule: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(2 minutes)',
          Target: { Arn: { 'Fn::GetAtt': ['Work', 'Arn'] } },
        },
      },
      Work: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Code: { S3Key: 'code.zip' },
          Environment: { Variables: { QUEUE: joined, FILE: '/var/task/ca.pem' } },
          ...{ Handler: 'index.handler', Runtime: 'nodejs24.x', MemorySize: 256, Timeout: 55 },
          LoggingConfig: { LogGroup: { Ref: 'Logs' } },
        },
      },
      Logs: { Type: 'AWS::Logs::LogGroup' },
      Queue: { Type: 'AWS::SQS::Queue' },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
          FunctionName: { Ref: 'Work' },
          BatchSize: 7,
        },
      },
    },
    { Url: { Value: { Ref: 'Queue' } } },
  );
  const queueUrl = refOf('Queue');
  const environment = { QUEUE: `us-east-1:${queueUrl}`, FILE: '/assets/code.zip/ca.pem' };
  const [{ arn } = { arn: '' }] = functions;
  expect(functions).toMatchObject([{ timeoutSeconds: 55, memoryMb: 256, environment }]);
  expect(schedules).toEqual([{ expression: 'rate(2 minutes)', targetArn: arn }]);
  expect(mappings).toMatchObject([{ functionArn: arn, queueUrl, batchSize: 7 }]);
  expect(outputs).toEqual({ Url: queueUrl });
});

it.each<[string, Template['Resources']]>([
  ['Thing, a AWS::EC2::Instance', { Thing: { Type: 'AWS::EC2::Instance' } }],
  ['Nobody', { A: { Type: 'AWS::SQS::Queue', Properties: { X: { Ref: 'Nobody' } } } }],
  ['Fn::If', { A: { Type: 'AWS::SQS::Queue', Properties: { X: { 'Fn::If': ['C', 1, 2] } } } }],
  ['queues of the template only', { A: { Type: 'AWS::Pipes::Pipe', Properties: { Source: 'x' } } }],
])('names what it does not support: %s', async (message, resources) => {
  await expect(standUp(resources)).rejects.toThrow(message);
});
