import { createQueue, subscribeQueue, takeMessages } from '../../cli/commands/subscribed-queue.ts';
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

/** Creates a queue, and subscribes it to the topic. */
export async function subscribe(
  clients: Clients,
  topicArn: string,
  name: string,
  filterPolicy?: Readonly<Record<string, unknown>>,
): Promise<Subscriber> {
  const queueUrl = await createQueue(clients.sqs, name, topicArn);
  const subscriptionArn = await subscribeQueue(clients, topicArn, queueUrl, filterPolicy);
  return { queueUrl, subscriptionArn, drain: () => drainQueue(clients, queueUrl) };
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

async function drainQueue({ sqs }: Clients, queueUrl: string): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const messages = await takeMessages(sqs, queueUrl);
    if (messages.length === 0) return deliveries;
    for (const { Body: message = '', MessageAttributes = {} } of messages) {
      const attributes = Object.entries(MessageAttributes).map(
        ([name, { StringValue = '' }]) => [name, StringValue] as const,
      );
      deliveries.push({ message, attributes: Object.fromEntries(attributes) });
    }
  }
}
