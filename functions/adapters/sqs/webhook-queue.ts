import {
  ChangeMessageVisibilityBatchCommand,
  SendMessageCommand,
  SQSServiceException,
  type MessageAttributeValue,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { isThrottlingError } from '@smithy/core/retry';
import { SitecastError } from '../../core/model/errors.ts';
import { isoTime } from '../../core/model/timestamp.ts';
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

  /** Leaves out attributes if SQS refuses the message: an event of the largest size leaves no space for them. */
  async bury(message: WebhookMessage, reason: string, tries: Tries): Promise<void> {
    const told = {
      attempts: attribute(String(tries.count)),
      firstAttemptAt: attribute(isoTime(tries.firstAt)),
    };
    // SQS takes no other characters.
    const text = reason.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_REASON_LENGTH);
    for (const attributes of [{ reason: attribute(text), ...told }, told]) {
      try {
        await this.#sendDeadLetter(message, attributes);
        return;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    await this.#sendDeadLetter(message, {});
  }

  async #sendDeadLetter(
    { id, body, group }: WebhookMessage,
    MessageAttributes: Record<string, MessageAttributeValue>,
  ): Promise<void> {
    const { client, deadLettersUrl: QueueUrl } = this.#options;
    const order = group !== undefined && { MessageGroupId: group, MessageDeduplicationId: id };
    await client.send(
      new SendMessageCommand({ QueueUrl, MessageBody: body, MessageAttributes, ...order }),
    );
  }
}

function attribute(StringValue: string): MessageAttributeValue {
  return { DataType: 'String', StringValue };
}

type SdkError = Parameters<typeof isThrottlingError>[0];

/** Whether SQS refused this request, rather than all requests for a while. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof SQSServiceException)) return false;
  return error.$fault === 'client' && !isThrottlingError(error as SdkError);
}
