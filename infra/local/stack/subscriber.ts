import { SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { Clients } from '../embedded/clients.ts';
import type { StubQueue } from './creator.ts';

export interface Delivery {
  /** The published text. */
  readonly message: string;
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

/** Creates a queue, FIFO for a FIFO topic, and subscribes it to the topic, raw. */
export async function subscribe(
  clients: Clients,
  topicArn: string,
  name: string,
  filterPolicy: Readonly<Record<string, unknown>> = {},
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
      ...{ TopicArn: topicArn, Protocol: 'sqs', Endpoint: Attributes?.QueueArn },
      Attributes: { RawMessageDelivery: 'true', FilterPolicy: JSON.stringify(filterPolicy) },
      ReturnSubscriptionArn: true,
    }),
  );
  return { queueUrl: QueueUrl, subscriptionArn, drain: () => drainQueue(clients, QueueUrl) };
}

/**
 * Names a stub queue after its subscriber.
 *
 * @param subscribers those of the config, which synthesis has checked.
 */
export function declareSubscriber(
  { protocol, endpoint, queueUrl }: StubQueue,
  clients: Clients,
  subscribers: unknown,
): { readonly name: string; readonly protocol: string } & Pick<Subscriber, 'drain'> {
  const declared = (subscribers ?? []) as readonly { name: string; endpoint: string }[];
  const { name = endpoint } = declared.find((each) => each.endpoint === endpoint) ?? {};
  return { name, protocol, drain: () => drainQueue(clients, queueUrl) };
}

async function drainQueue({ sqs }: Clients, QueueUrl: string): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        ...{ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
      }),
    );
    if (Messages.length === 0) return deliveries;
    for (const { Body: message = '', MessageAttributes = {} } of Messages) {
      const attributes = Object.entries(MessageAttributes).map(
        ([name, { StringValue = '' }]) => [name, StringValue] as const,
      );
      deliveries.push({ message, attributes: Object.fromEntries(attributes) });
    }
    const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}
