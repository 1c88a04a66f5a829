import {
  ChangeMessageVisibilityCommand,
  SendMessageCommand,
  SQSServiceException,
  type MessageAttributeValue,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { WebhookMessage, WebhookQueue } from '../../deliver/ports.ts';
import { isThrottled } from '../shared/is-throttled.ts';

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

  async hide(ReceiptHandle: string, waitMs: number): Promise<void> {
    const { client, queueUrl: QueueUrl } = this.#options;
    const VisibilityTimeout = Math.ceil(waitMs / 1000);
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
    );
  }

  /** An event of the largest size leaves no space for attributes: then it goes without them. */
  async bury({ body, receiveCount }: WebhookMessage, reason: string): Promise<void> {
    // SQS takes no other characters.
    const text = reason.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_REASON_LENGTH);
    const attributes = { reason: attribute(text), attempts: attribute(String(receiveCount)) };
    try {
      await this.#sendDeadLetter(body, attributes);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#sendDeadLetter(body, {});
    }
  }

  async #sendDeadLetter(
    MessageBody: string,
    MessageAttributes: Record<string, MessageAttributeValue>,
  ): Promise<void> {
    const { client, deadLettersUrl: QueueUrl } = this.#options;
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes }));
  }
}

function attribute(StringValue: string): MessageAttributeValue {
  return { DataType: 'String', StringValue };
}

/** Whether SQS refused this request, rather than all requests for a while. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof SQSServiceException)) return false;
  return error.$fault === 'client' && !isThrottled(error);
}
