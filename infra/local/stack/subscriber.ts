import { SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import type { Clients } from './clients.ts';
import type { StubQueue } from './create-resource.ts';

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
   * Receives and deletes all messages in the queue. The embedded topic delivers before it answers,
   * so after a run the queue holds all its events.
   */
  drain(): Promise<Delivery[]>;
}

/** A subscriber that the config declares. A local queue receives what it would receive. */
export interface DeclaredSubscriber extends Pick<Subscriber, 'drain'> {
  /** Its name in the config. */
  readonly name: string;
  readonly protocol: string;
}

/** Creates a queue, FIFO for a FIFO topic, and subscribes it to the topic. */
export async function subscribe(
  clients: Clients,
  topicArn: string,
  name: string,
  { raw = false, filterPolicy }: SubscribeOptions = {},
): Promise<Subscriber> {
  const { sns, sqs } = clients;
  const queue = topicArn.endsWith('.fifo')
    ? { QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }
    : { QueueName: name };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand(queue));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const { SubscriptionArn: subscriptionArn = '' } = await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: Attributes?.QueueArn,
      Attributes: {
        RawMessageDelivery: String(raw),
        ...(filterPolicy && { FilterPolicy: JSON.stringify(filterPolicy) }),
      },
      ReturnSubscriptionArn: true,
    }),
  );
  const drain = (): Promise<Delivery[]> => drainQueue(clients, QueueUrl, raw);
  return { queueUrl: QueueUrl, subscriptionArn, drain };
}

/**
 * Names a stub queue after its subscriber.
 *
 * @param subscribers those of the config, which synthesis has checked.
 */
export function declareSubscriber(
  { protocol, endpoint, queueUrl, isRaw }: StubQueue,
  clients: Clients,
  subscribers: unknown,
): DeclaredSubscriber {
  const declared = (subscribers ?? []) as readonly { name: string; endpoint: string }[];
  const { name = endpoint } = declared.find((each) => each.endpoint === endpoint) ?? {};
  return { name, protocol, drain: () => drainQueue(clients, queueUrl, isRaw) };
}

/** Receives and deletes all messages of a queue, with SNS's envelope or raw. */
async function drainQueue({ sqs }: Clients, QueueUrl: string, isRaw: boolean): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        ...{ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
      }),
    );
    if (Messages.length === 0) return deliveries;
    deliveries.push(...Messages.map(isRaw ? fromRaw : fromEnvelope));
    const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

function fromRaw({ Body = '', MessageAttributes = {} }: Message): Delivery {
  return { message: Body, attributes: mapValues(MessageAttributes, (it) => it.StringValue ?? '') };
}

/** Envelope of SNS around a message that is not delivered raw. */
interface Envelope {
  readonly Message: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value: string }>>;
}

function fromEnvelope({ Body = '' }: Message): Delivery {
  const { Message: message, MessageAttributes = {} } = JSON.parse(Body) as Envelope;
  return { message, attributes: mapValues(MessageAttributes, ({ Value }) => Value) };
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => string) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
