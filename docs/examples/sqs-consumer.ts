import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { consume, type ChangeEvent } from 'sitecast-events';
import { readTextFrom } from './read-text.ts';

/** Options of {@link consumeQueue}. */
export interface QueueOptions {
  readonly sqs: SQSClient;
  /** Reads events that are too large for the topic. */
  readonly s3: S3Client;
  /** The bucket of such events: the stack's output `LargeEventsBucket`. */
  readonly bucket: string;
  /** A queue that is subscribed to the topic, raw or not, and has a dead-letter queue. */
  readonly queueUrl: string;
  /** May receive an event more than once. A rejected event is retried. */
  readonly handle: (event: ChangeEvent) => Promise<unknown>;
  /** Stops the consumer after the message it is handling. */
  readonly signal: AbortSignal;
  /**
   * Receives the error of a message, or of receiving without a message. Default: writes it to
   * standard error.
   */
  readonly onError?: (error: unknown, message?: Message) => void;
  /** Maximum wait of a poll, in seconds. Default 20, the maximum of SQS and the cheapest. */
  readonly waitSeconds?: number;
}

/**
 * Consumes a queue until the signal is aborted. A message that always fails ends in the dead-letter
 * queue.
 */
export async function consumeQueue(options: QueueOptions): Promise<void> {
  const { sqs, s3, bucket, queueUrl, handle, signal, onError = report, waitSeconds = 20 } = options;
  await consume<Message>({
    receive: async () => {
      const receive = new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: waitSeconds,
        // On a FIFO queue an entity's events must not overtake its failed event.
        MessageSystemAttributeNames: ['MessageGroupId'],
      });
      const { Messages = [] } = await sqs.send(receive, { abortSignal: signal });
      return Messages;
    },
    remove: ({ ReceiptHandle }) =>
      sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle })),
    readTextAt: readTextFrom(s3, bucket),
    handle,
    signal,
    onError,
    pause: () => sleep(1000, undefined, { signal }).catch(() => undefined),
  });
}

function report(error: unknown, message?: Message): void {
  console.error(`Message ${message?.MessageId ?? 'not received'}: failed; retrying`, error);
}
