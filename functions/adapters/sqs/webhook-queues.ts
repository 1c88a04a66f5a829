import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message,
  type QueueAttributeName,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeployedWebhook, WebhookQueues } from '../../control/ports.ts';
import { chunksOf } from '../../core/model/chunks.ts';

/** Messages that a call receives, or releases. */
const MESSAGES_PER_CALL = 10;
/** Hides received messages from other readers, longer than the control function runs. */
const HIDDEN_SECONDS = 120;
/** Dead letters that one request looks at, to end in time. */
const MAX_RECEIVED = 500;
/** Answers in a row without a message after which a queue is empty: one alone may miss some. */
const EMPTY_ANSWERS = 2;
/** Counts messages that somebody has received a short time ago. */
const HIDDEN = 'ApproximateNumberOfMessagesNotVisible';

/** The queues of webhooks in SQS, see {@link WebhookQueues}. */
export class SqsWebhookQueues implements WebhookQueues {
  readonly #client: SQSClient;
  readonly #maxReceived: number;

  constructor(client: SQSClient, { maxReceived = MAX_RECEIVED } = {}) {
    this.#client = client;
    this.#maxReceived = maxReceived;
  }

  count(queueUrl: string): Promise<number> {
    return this.#count(queueUrl, [
      'ApproximateNumberOfMessages',
      HIDDEN,
      'ApproximateNumberOfMessagesDelayed',
    ]);
  }

  async send(QueueUrl: string, MessageBody: string): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  }

  async redrive(
    webhook: DeployedWebhook,
    isToMove: (body: string) => boolean,
  ): ReturnType<WebhookQueues['redrive']> {
    const { deadLettersUrl } = webhook;
    const hiddenCount = await this.#count(deadLettersUrl, [HIDDEN]);
    let receivedCount = 0;
    let emptyAnswers = 0;
    const left: string[] = [];
    while (emptyAnswers < EMPTY_ANSWERS && receivedCount < this.#maxReceived) {
      const messages = await this.#receive(deadLettersUrl);
      receivedCount += messages.length;
      emptyAnswers = messages.length === 0 ? emptyAnswers + 1 : 0;
      for (const { Body = '', ReceiptHandle = '' } of messages) {
        if (isToMove(Body)) await this.#move(Body, ReceiptHandle, webhook);
        else left.push(ReceiptHandle);
      }
    }
    const isComplete = emptyAnswers === EMPTY_ANSWERS;
    // If there are more, these stay hidden for a while: the repeated request shall find the others.
    if (isComplete) await this.#release(left, deadLettersUrl);
    return { movedCount: receivedCount - left.length, isComplete, hiddenCount };
  }

  async #count(QueueUrl: string, names: readonly QueueAttributeName[]): Promise<number> {
    const { Attributes } = await this.#client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
  }

  async #receive(QueueUrl: string): Promise<readonly Message[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MESSAGES_PER_CALL,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: 1,
      }),
    );
    return Messages;
  }

  async #move(
    body: string,
    ReceiptHandle: string,
    { queueUrl, deadLettersUrl: QueueUrl }: DeployedWebhook,
  ): Promise<void> {
    await this.send(queueUrl, body);
    await this.#client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }

  async #release(receipts: readonly string[], QueueUrl: string): Promise<void> {
    for (const batch of chunksOf(receipts, MESSAGES_PER_CALL)) {
      const Entries = batch.map((ReceiptHandle, id) => {
        return { Id: String(id), ReceiptHandle, VisibilityTimeout: 0 };
      });
      // One that is not released comes back on its own.
      await this.#client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    }
  }
}
