import { GetSubscriptionAttributesCommand } from '@aws-sdk/client-sns';
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

it.each<[string, Template['Resources']]>([
  ['Thing, a AWS::EC2::Instance', { Thing: { Type: 'AWS::EC2::Instance' } }],
  ['Nobody', { A: { Type: 'AWS::SQS::Queue', Properties: { X: { Ref: 'Nobody' } } } }],
  ['Fn::If', { A: { Type: 'AWS::SQS::Queue', Properties: { X: { 'Fn::If': ['C', 1, 2] } } } }],
  ['queues of the template only', { A: { Type: 'AWS::Pipes::Pipe', Properties: { Source: 'x' } } }],
])('names what it does not support: %s', async (message, resources) => {
  await expect(standUp(resources)).rejects.toThrow(message);
});
