import {
  ChangeMessageVisibilityBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { SitecastError } from '../../core/model/errors.ts';
import type { Tries, WebhookMessage, WebhookQueue } from '../../core/ports/webhook.ts';
import { packBatches } from '../shared/batches.ts';

/** Entries that a call takes. */
const MESSAGES_PER_CALL = 10;
/** Characters of a reason in an attribute, which counts to the size of the message. */
const MAX_REASON_LENGTH = 100;

export interface SqsWebhookQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

/** The queue of a webhook in SQS, see {@link WebhookQueue}. */
export class SqsWebhookQueue implements WebhookQueue {
  readonly #options: SqsWebhookQueueOptions;

  constructor(options: SqsWebhookQueueOptions) {
    this.#options = options;
  }

  async hide(receipts: readonly string[], waitMs: number): Promise<void> {
    const { client, queueUrl: QueueUrl } = this.#options;
    const VisibilityTimeout = Math.ceil(waitMs / 1000);
    for (const batch of packBatches(receipts, { maxItems: MESSAGES_PER_CALL })) {
      const Entries = batch.map((ReceiptHandle, id) => {
        return { Id: String(id), ReceiptHandle, VisibilityTimeout };
      });
      const { Failed = [] } = await client.send(
        new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
      );
      const [first] = Failed;
      if (first === undefined) continue;
      throw new SitecastError(
        `Queue ${QueueUrl} did not hide ${Failed.length} of ${batch.length} messages: ${first.Code ?? ''} ${first.Message ?? ''}`,
        { hint: 'They come back when its visibility timeout ends. Do nothing.' },
      );
    }
  }

  async bury(message: WebhookMessage, reason: string, tries: Tries): Promise<void> {
    const { client, deadLettersUrl: QueueUrl } = this.#options;
    const { id, body, group } = message;
    const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
    await client.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageAttributes: {
          // SQS takes no other characters.
          reason: attribute(reason.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_REASON_LENGTH)),
          attempts: attribute(String(tries.count)),
          firstAttemptAt: attribute(new Date(tries.firstAt).toISOString()),
        },
        ...(group !== undefined && { MessageGroupId: group, MessageDeduplicationId: id }),
      }),
    );
  }
}
