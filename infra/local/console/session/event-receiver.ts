import { UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { LocalStack } from '../../stack/local-stack.ts';

const LONG_POLL_SECONDS = 10;
/** After an error, for example while the stack stops. */
const RETRY_MS = 1_000;

/** A queue that is subscribed to the topic, received by long polling. */
export interface EventReceiver {
  /** Ends the receiving, and removes the subscription and the queue. Never rejects. */
  close(): Promise<void>;
}

/**
 * Subscribes a new queue to the topic and receives from it.
 *
 * @param onMessages is called with the texts of up to ten messages, in the order of the queue.
 */
export async function openReceiver(
  { subscribe, clients: { sns, sqs } }: Pick<LocalStack, 'subscribe' | 'clients'>,
  onMessages: (texts: readonly string[]) => void,
): Promise<EventReceiver> {
  const { queueUrl: QueueUrl, subscriptionArn } = await subscribe({ raw: true });
  const closing = new AbortController();
  const receive = async (): Promise<void> => {
    const command = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: LONG_POLL_SECONDS };
    const options = { abortSignal: closing.signal };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(command), options);
    if (Messages.length === 0) return;
    onMessages(Messages.map(({ Body = '' }) => Body));
    const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  };
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await receive().catch(() => pause(closing.signal));
    }
  };
  const ended = loop();
  return {
    close: async () => {
      closing.abort();
      await ended;
      await Promise.allSettled([
        sns.send(new UnsubscribeCommand({ SubscriptionArn: subscriptionArn })),
        sqs.send(new DeleteQueueCommand({ QueueUrl })),
      ]);
    },
  };
}

function pause(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
