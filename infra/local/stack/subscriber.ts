import { SubscribeCommand } from '@aws-sdk/client-sns';
import type { Message } from '@aws-sdk/client-sqs';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Clients } from './clients.ts';

/** How a queue is subscribed to the topic. */
export interface SubscribeOptions {
  /** Raw message delivery: the queue gets the event without SNS's envelope. Default false. */
  readonly raw?: boolean;
  /** SNS filter policy on message attributes. */
  readonly filterPolicy?: Readonly<Record<string, unknown>>;
}

/** One message as it came out of the queue. */
export interface Delivery {
  /** The text that was published. */
  readonly message: string;
  /** The values of the message attributes, by name. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** An SQS queue that is subscribed to the topic. Duplicates are handed over as they come. */
export interface Subscriber {
  readonly queueUrl: string;
  readonly subscriptionArn: string;
  /** Takes all that lies in the queue now. */
  drain(): Promise<Delivery[]>;
  /**
   * Hands over each delivery as it comes. Once the signal is aborted it hands over what still lies
   * in the queue, then resolves.
   */
  follow(handOver: (delivery: Delivery) => void, signal: AbortSignal): Promise<void>;
}

/** Seconds of a long poll. Following ends after the last one, so it is short. */
const WAIT_SECONDS = 1;

/** What SNS wraps a message in, unless it delivers it raw. */
const Envelope = z.object({
  Message: z.string(),
  MessageAttributes: z.record(z.string(), z.object({ Value: z.string() })).default({}),
});

/** Creates a queue and subscribes it to the topic. To a FIFO topic it subscribes a FIFO queue. */
export async function subscribe(
  clients: Clients,
  topicArn: string,
  queueName: string,
  options: SubscribeOptions = {},
): Promise<Subscriber> {
  const { raw = false, filterPolicy } = options;
  const queueUrl = await createQueue(clients, queueName, topicArn.endsWith('.fifo'));
  const subscription = await clients.sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: await arnOf(clients, queueUrl),
      Attributes: {
        RawMessageDelivery: String(raw),
        ...(filterPolicy && { FilterPolicy: JSON.stringify(filterPolicy) }),
      },
      ReturnSubscriptionArn: true,
    }),
  );

  const receive = (waitSeconds: number, handOver: (delivery: Delivery) => void): Promise<number> =>
    receiveBatch(clients, queueUrl, waitSeconds, (message) => {
      handOver(raw ? fromRaw(message) : fromEnvelope(message));
    });
  const drain = async (handOver: (delivery: Delivery) => void): Promise<void> => {
    let received: number;
    do received = await receive(0, handOver);
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
    follow: async (handOver, signal) => {
      // A long poll is never cut: what it takes from the queue would be lost with it.
      while (!signal.aborted) await receive(WAIT_SECONDS, handOver);
      await drain(handOver);
    },
  };
}

async function createQueue({ sqs }: Clients, name: string, fifo: boolean): Promise<string> {
  const queue = fifo
    ? { QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }
    : { QueueName: name };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand(queue));
  return QueueUrl;
}

async function arnOf({ sqs }: Clients, queueUrl: string): Promise<string | undefined> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn;
}

/** Hands over up to ten messages, then deletes them. Resolves with their number. */
async function receiveBatch(
  { sqs }: Clients,
  queueUrl: string,
  waitSeconds: number,
  handOver: (message: Message) => void,
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
  Messages.forEach(handOver);
  const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  return Messages.length;
}

function fromRaw({ Body = '', MessageAttributes = {} }: Message): Delivery {
  const attributes = Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [
    name,
    StringValue,
  ]);
  return { message: Body, attributes: Object.fromEntries(attributes) as Record<string, string> };
}

function fromEnvelope({ Body = '' }: Message): Delivery {
  const { Message: message, MessageAttributes } = Envelope.parse(JSON.parse(Body));
  const attributes = Object.entries(MessageAttributes).map(([name, { Value }]) => [name, Value]);
  return { message, attributes: Object.fromEntries(attributes) as Record<string, string> };
}
