import { createHash } from 'node:crypto';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import {
  noEffect,
  readProperties,
  scalar,
  textAttributes,
  type Provisioner,
} from './provisioner.ts';

const json = z.record(z.string(), z.unknown());

/** How the ARNs of local queues begin. */
const LOCAL_QUEUES = `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:`;

const Topic = z.strictObject({
  TopicName: z.string().optional(),
  ArchivePolicy: json.optional(),
  ContentBasedDeduplication: scalar.optional(),
  DisplayName: z.string().optional(),
  FifoThroughputScope: z.string().optional(),
  FifoTopic: scalar.optional(),
  KmsMasterKeyId: z.string().optional(),
  SignatureVersion: scalar.optional(),
  TracingConfig: z.string().optional(),
  DeliveryStatusLogging: noEffect,
  // The embedded topic takes 256 KiB. What it refuses for its size follows as a claim check.
  MaximumMessageSize: noEffect,
  Tags: noEffect,
});

export const createTopic: Provisioner = async (desired, { clients }) => {
  const { TopicName, DeliveryStatusLogging, MaximumMessageSize, Tags, ...rest } = readProperties(
    Topic,
    desired,
  );
  const name = TopicName ?? physicalName(desired.logicalId, rest.FifoTopic);
  const answer = await clients.sns.send(
    new CreateTopicCommand({ Name: name, Attributes: textAttributes(rest) }),
  );
  const arn = answer.TopicArn ?? '';
  return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
};

const Queue = z.strictObject({
  QueueName: z.string().optional(),
  ContentBasedDeduplication: scalar.optional(),
  DeduplicationScope: z.string().optional(),
  DelaySeconds: scalar.optional(),
  FifoQueue: scalar.optional(),
  FifoThroughputLimit: z.string().optional(),
  KmsDataKeyReusePeriodSeconds: scalar.optional(),
  KmsMasterKeyId: z.string().optional(),
  MaximumMessageSize: scalar.optional(),
  MessageRetentionPeriod: scalar.optional(),
  ReceiveMessageWaitTimeSeconds: scalar.optional(),
  RedriveAllowPolicy: json.optional(),
  RedrivePolicy: json.optional(),
  SqsManagedSseEnabled: scalar.optional(),
  VisibilityTimeout: scalar.optional(),
  Tags: noEffect,
});

export const createQueue: Provisioner = async (desired, { clients }) => {
  const { QueueName, Tags, ...rest } = readProperties(Queue, desired);
  const name = QueueName ?? physicalName(desired.logicalId, rest.FifoQueue);
  const answer = await clients.sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: textAttributes(rest) }),
  );
  const url = answer.QueueUrl ?? '';
  const arn = `${LOCAL_QUEUES}${name}`;
  return { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
};

const Subscription = z.strictObject({
  TopicArn: z.string(),
  Protocol: z.enum(['sqs', 'lambda', 'https', 'firehose', 'email']),
  Endpoint: z.string(),
  DeliveryPolicy: json.optional(),
  FilterPolicy: json.optional(),
  FilterPolicyScope: z.string().optional(),
  RawMessageDelivery: scalar.optional(),
  RedrivePolicy: json.optional(),
  SubscriptionRoleArn: z.string().optional(),
  Region: noEffect,
});

/**
 * Subscribes the endpoint if it is a local queue. Otherwise a queue stands in for it: the embedded topic
 * delivers to its own queues only. An endpoint has one such queue, so that the topic refuses a
 * second subscription of the endpoint with other attributes, as SNS does. E-mail is left out.
 */
export const createSubscription: Provisioner = async (desired, context) => {
  const { clients } = context;
  const { TopicArn, Protocol, Endpoint, Region, ...rest } = readProperties(Subscription, desired);
  // Alarms are no part of the embedded services, so nothing is ever sent to people.
  if (Protocol === 'email') return { ref: `${TopicArn}:email`, attributes: {} };
  const isLocal = Protocol === 'sqs' && Endpoint.startsWith(LOCAL_QUEUES);
  const key = createHash('sha256').update(Endpoint).digest('hex').slice(0, 12);
  const name = physicalName(`${Protocol}-${key}`, TopicArn.endsWith('.fifo'));
  if (!isLocal) {
    const Attributes = TopicArn.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
    const { QueueUrl = '' } = await clients.sqs.send(
      new CreateQueueCommand({ QueueName: name, Attributes }),
    );
    const isRaw = String(rest.RawMessageDelivery) === 'true';
    context.addStandIn({ protocol: Protocol, endpoint: Endpoint, queueUrl: QueueUrl, isRaw });
  }
  const answer = await clients.sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: isLocal ? Endpoint : `${LOCAL_QUEUES}${name}`,
      Attributes: textAttributes(rest),
    }),
  );
  const arn = answer.SubscriptionArn ?? '';
  return { ref: arn, attributes: { Arn: arn } };
};

function physicalName(name: string, fifo: string | number | boolean | undefined): string {
  return String(fifo) === 'true' ? `${name}.fifo` : name;
}
