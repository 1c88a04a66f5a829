import { SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Clients } from './clients.ts';

export interface SubscribeOptions {
  /** Raw message delivery: the queue receives the event without the SNS envelope. Default false. */
  readonly raw?: boolean;
  /** SNS filter policy. */
  readonly filterPolicy?: Readonly<Record<string, unknown>>;
}

/** One message from the queue. */
export interface Delivery {
  /** The published text. */
  readonly message: string;
  /** Values of the message attributes, by name. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** An SQS queue that is subscribed to the topic. It does not remove duplicates. */
export interface Subscriber {
  readonly queueUrl: string;
  readonly subscriptionArn: string;
  /**
   * Receives and deletes all messages in the queue. The embedded topic delivers before it answers, so
   * after a run the queue holds all its events.
   */
  drain(): Promise<Delivery[]>;
}

/** Envelope of SNS around a message that is not delivered raw. */
const Envelope = z.object({
  Message: z.string(),
  MessageAttributes: z.record(z.string(), z.object({ Value: z.string() })).default({}),
});

/** Creates a queue, FIFO for a FIFO topic, and subscribes it to the topic. */
export async function subscribe(
  clients: Clients,
  topicArn: string,
  queueName: string,
  options: SubscribeOptions = {},
): Promise<Subscriber> {
  const { raw = false, filterPolicy } = options;
  const { queueUrl, queueArn } = await createQueue(clients, queueName, topicArn.endsWith('.fifo'));
  const subscription = await clients.sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: queueArn,
      Attributes: {
        RawMessageDelivery: String(raw),
        ...(filterPolicy && { FilterPolicy: JSON.stringify(filterPolicy) }),
      },
      ReturnSubscriptionArn: true,
    }),
  );

  return {
    queueUrl,
    subscriptionArn: subscription.SubscriptionArn ?? '',
    drain: () => drainQueue(clients, queueUrl, raw),
  };
}

/** Receives and deletes all messages of a queue, with SNS's envelope or raw. */
export async function drainQueue(
  clients: Clients,
  queueUrl: string,
  isRaw: boolean,
): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const messages = await receiveBatch(clients, queueUrl);
    if (messages.length === 0) return deliveries;
    deliveries.push(...messages.map(isRaw ? fromRaw : fromEnvelope));
  }
}

async function createQueue({ sqs }: Clients, name: string, fifo: boolean) {
  const queue = fifo
    ? { QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }
    : { QueueName: name };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand(queue));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return { queueUrl: QueueUrl, queueArn: Attributes?.QueueArn };
}

/** Receives up to ten messages and deletes them. */
async function receiveBatch({ sqs }: Clients, queueUrl: string): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return Messages;
  const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  return Messages;
}

function fromRaw({ Body = '', MessageAttributes = {} }: Message): Delivery {
  return { message: Body, attributes: mapValues(MessageAttributes, (it) => it.StringValue ?? '') };
}

function fromEnvelope({ Body = '' }: Message): Delivery {
  const { Message: message, MessageAttributes } = Envelope.parse(JSON.parse(Body));
  return { message, attributes: mapValues(MessageAttributes, ({ Value }) => Value) };
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => string) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
