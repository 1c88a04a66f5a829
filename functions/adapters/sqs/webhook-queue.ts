import {
  ChangeMessageVisibilityCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { WebhookMessage, WebhookQueue } from '../../deliver/ports.ts';

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

  async bury({ body: MessageBody }: WebhookMessage): Promise<void> {
    const { client, deadLettersUrl: QueueUrl } = this.#options;
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  }
}
