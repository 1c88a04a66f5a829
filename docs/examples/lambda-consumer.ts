import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ChangeEvent } from 'sitecast/events';
import { readEvent } from './read-event.ts';

/**
 * Makes a Lambda handler for a queue that is subscribed to the topic, raw or not. The event source
 * mapping must have `ReportBatchItemFailures`: what fails comes again alone, and after the queue's
 * `maxReceiveCount` it goes to its dead-letter queue.
 *
 * @param handle does the work; may get an event more than once. What it rejects comes again.
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
      // On a FIFO queue nothing of an entity may go before what failed of it.
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
      console.error(`message ${messageId} comes again`, error);
      return false;
    }
  }
}
