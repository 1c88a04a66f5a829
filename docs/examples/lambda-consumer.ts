import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consumeBatch, type ChangeEvent } from 'sitecast-events';
import { readTextFrom } from './read-text.ts';

/**
 * Makes a Lambda handler for a queue that is subscribed to the topic, raw or not. The event source
 * mapping must have `ReportBatchItemFailures`: a failed message is retried alone, and goes to the
 * dead-letter queue after the queue's `maxReceiveCount`.
 *
 * @param bucket of events that are too large for the topic: the stack's output `LargeEventsBucket`.
 * @param handle may receive an event more than once. A rejected event is retried.
 */
export function makeHandler(
  s3: S3Client,
  bucket: string,
  handle: (event: ChangeEvent) => Promise<unknown>,
): (batch: SQSEvent) => Promise<SQSBatchResponse> {
  return async ({ Records }) => {
    const failed = await consumeBatch(Records, {
      readTextAt: readTextFrom(s3, bucket),
      handle,
      onError: (error, message) => {
        console.error(`Message ${message?.messageId ?? ''} failed; SQS retries`, error);
      },
    });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
