import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ChangeEvent } from 'sitecast/events';
import { readEvent } from './read-event.ts';

/**
 * Makes a Lambda handler for a queue that is subscribed to the topic, raw or not. The event source
 * mapping must have `ReportBatchItemFailures`: a failed message is retried alone, and goes to the
 * dead-letter queue after the queue's `maxReceiveCount`.
 *
 * @param handle may receive an event more than once. A rejected event is retried.
 */
export function makeHandler(
  s3: S3Client,
  handle: (event: ChangeEvent) => Promise<unknown>,
): (batch: SQSEvent) => Promise<SQSBatchResponse> {
  return async ({ Records }) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    const failedGroups = new Set<string>();
    for (const record of Records) {
      const group = record.attributes.MessageGroupId;
      // On a FIFO queue an entity's events must not overtake its failed event.
      if (group !== undefined && failedGroups.has(group)) {
        batchItemFailures.push({ itemIdentifier: record.messageId });
        continue;
      }
      if (await isHandled(record)) continue;
      batchItemFailures.push({ itemIdentifier: record.messageId });
      if (group !== undefined) failedGroups.add(group);
    }
    return { batchItemFailures };
  };

  async function isHandled({ body, messageId }: SQSRecord): Promise<boolean> {
    try {
      await handle(await readEvent(body, s3));
      return true;
    } catch (error) {
      console.error(`Message ${messageId} failed; SQS retries`, error);
      return false;
    }
  }
}
