import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { S3Client } from '@aws-sdk/client-s3';
import type { ChangeEvent } from 'sitecast/events';
import { readEvent } from './read-event.ts';

/** Options of {@link consume}. */
export interface ConsumerOptions {
  readonly sqs: SQSClient;
  /** Reads events that are too large for the topic. */
  readonly s3: S3Client;
  /** A queue that is subscribed to the topic, raw or not, and has a dead-letter queue. */
  readonly queueUrl: string;
  /** May receive an event more than once. A rejected event is retried. */
  readonly handle: (event: ChangeEvent) => Promise<unknown>;
  /** Stops the consumer after the message it is handling. */
  readonly signal: AbortSignal;
  /** Maximum wait of a poll, in seconds. Default 20, the maximum of SQS and the cheapest. */
  readonly waitSeconds?: number;
}

/**
 * Consumes a queue until the signal is aborted. A message is deleted once its event is handled. If the
 * consumer dies before, SQS delivers the message again after the visibility timeout. A message that
 * always fails ends in the dead-letter queue.
 */
export async function consume(options: ConsumerOptions): Promise<void> {
  const { sqs, queueUrl, signal, waitSeconds = 20 } = options;
  while (!signal.aborted) {
    try {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['MessageGroupId'],
        }),
        { abortSignal: signal },
      );
      await handleBatch(Messages, options);
    } catch (error) {
      if (isAbort(error)) return;
      console.error('Receiving failed; retrying', error);
      await sleep(1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function handleBatch(messages: readonly Message[], options: ConsumerOptions): Promise<void> {
  const failedGroups = new Set<string | undefined>();
  for (const message of messages) {
    const group = message.Attributes?.MessageGroupId;
    // On a FIFO queue an entity's events must not overtake its failed event.
    if (options.signal.aborted || (group !== undefined && failedGroups.has(group))) continue;
    if (!(await isHandled(message, options))) failedGroups.add(group);
  }
}

/** @returns false if SQS has to deliver the message again. */
async function isHandled(message: Message, options: ConsumerOptions): Promise<boolean> {
  const { sqs, s3, queueUrl, handle } = options;
  try {
    await handle(await readEvent(message.Body ?? '', s3));
    await sqs.send(
      new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }),
    );
    return true;
  } catch (error) {
    console.error(`Message ${String(message.MessageId)} failed; SQS retries`, error);
    return false;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
