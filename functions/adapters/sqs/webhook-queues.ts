import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeployedWebhook, WebhookQueues } from '../../core/ports/webhook-operations.ts';

/** Messages that a call receives. */
const MESSAGES_PER_CALL = 10;
/** Hides what was received from other readers, longer than the control function runs. */
const HIDDEN_SECONDS = 120;
/** Dead letters that one request moves; all are held in memory. */
const MAX_MOVED = 500;
/** Answers in a row without a message after which a queue is empty: one alone may miss some. */
const EMPTY_ANSWERS = 2;

/** The queues of webhooks in SQS, see {@link WebhookQueues}. */
export class SqsWebhookQueues implements WebhookQueues {
  readonly #client: SQSClient;
  readonly #maxMoved: number;

  constructor(client: SQSClient, maxMoved = MAX_MOVED) {
    this.#client = client;
    this.#maxMoved = maxMoved;
  }

  async count(queueUrl: string): Promise<number> {
    const names = [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ] as const;
    const { Attributes } = await this.#client.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
  }

  async send(queueUrl: string, body: string, id: string): Promise<void> {
    await this.#send(queueUrl, body, id, id);
  }

  async redrive(
    webhook: DeployedWebhook,
    isToMove: (body: string) => boolean,
  ): ReturnType<WebhookQueues['redrive']> {
    // A FIFO queue shows the next messages of a group only when the ones before are gone.
    const isFifo = webhook.queueUrl.endsWith('.fifo');
    let movedCount = 0;
    let emptyAnswers = 0;
    const left: Message[] = [];
    const held: Message[] = [];
    while (emptyAnswers < EMPTY_ANSWERS && movedCount + held.length < this.#maxMoved) {
      const messages = await this.#receive(webhook.deadLettersUrl);
      emptyAnswers = messages.length === 0 ? emptyAnswers + 1 : 0;
      for (const message of messages) (isToMove(message.Body ?? '') ? held : left).push(message);
      if (isFifo) movedCount += await this.#move(held.splice(0), webhook);
    }
    movedCount += await this.#move(held.toSorted(byTime), webhook);
    for (const message of left) await this.#release(message, webhook.deadLettersUrl);
    return { movedCount, isComplete: emptyAnswers === EMPTY_ANSWERS };
  }

  async #receive(QueueUrl: string): Promise<readonly Message[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MESSAGES_PER_CALL,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp'],
      }),
    );
    return Messages;
  }

  /** @returns the number of messages. */
  async #move(messages: readonly Message[], webhook: DeployedWebhook): Promise<number> {
    for (const { Body = '', MessageId = '', Attributes, ReceiptHandle } of messages) {
      const group = Attributes?.MessageGroupId ?? MessageId;
      await this.#send(webhook.queueUrl, Body, MessageId, group);
      await this.#client.send(
        new DeleteMessageCommand({ QueueUrl: webhook.deadLettersUrl, ReceiptHandle }),
      );
    }
    return messages.length;
  }

  async #send(QueueUrl: string, MessageBody: string, id: string, group: string): Promise<void> {
    const order = QueueUrl.endsWith('.fifo') && {
      MessageGroupId: group,
      MessageDeduplicationId: id,
    };
    await this.#client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...order }));
  }

  async #release({ ReceiptHandle }: Message, QueueUrl: string): Promise<void> {
    const command = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await this.#client.send(new ChangeMessageVisibilityCommand(command));
  }
}

/** By the time of the event; what has none comes first. */
function byTime(a: Message, b: Message): number {
  return timeOf(a) - timeOf(b);
}

function timeOf({ Body = '' }: Message): number {
  try {
    return Date.parse((JSON.parse(Body) as { time?: string }).time ?? '') || 0;
  } catch {
    return 0;
  }
}
