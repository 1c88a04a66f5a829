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
  /** SNS filter policy on message attributes. */
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
  /** Receives and deletes all messages in the queue. */
  drain(): Promise<Delivery[]>;
  /** Passes on each delivery. Once the signal is aborted, it drains the queue and resolves. */
  follow(onDelivery: (delivery: Delivery) => void, signal: AbortSignal): Promise<void>;
}

/** Seconds of a long poll; short, since `follow` ends after the last one. */
const WAIT_SECONDS = 1;

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

  const receive = (waitSeconds: number, onDelivery: (delivery: Delivery) => void) =>
    receiveBatch(clients, queueUrl, waitSeconds, (message) => {
      onDelivery(raw ? fromRaw(message) : fromEnvelope(message));
    });
  const drain = async (onDelivery: (delivery: Delivery) => void): Promise<void> => {
    let received: number;
    do received = await receive(0, onDelivery);
    while (received > 0);
  };
  return {
    queueUrl,
    subscriptionArn: subscription.SubscriptionArn ?? '',
    drain: async () => {
      const deliveries: Delivery[] = [];
      await drain((delivery) => deliveries.push(delivery));
      return deliveries;
    },
    follow: async (onDelivery, signal) => {
      // A long poll is never aborted: its messages would be lost.
      while (!signal.aborted) await receive(WAIT_SECONDS, onDelivery);
      await drain(onDelivery);
    },
  };
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

/** Passes on up to ten messages, deletes them, and returns their count. */
async function receiveBatch(
  { sqs }: Clients,
  queueUrl: string,
  waitSeconds: number,
  onDelivery: (message: Message) => void,
): Promise<number> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return 0;
  Messages.forEach(onDelivery);
  const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  return Messages.length;
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
