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
import type { DeployedWebhook, WebhookQueues } from '../../core/ports/webhook-operations.ts';
import { packBatches } from '../shared/batches.ts';

/** Messages that a call receives, or releases. */
const MESSAGES_PER_CALL = 10;
/** Hides what was received from other readers, longer than the control function runs. */
const HIDDEN_SECONDS = 120;
/** Dead letters that one request looks at, to end in time, and characters of them: all are held in memory. */
const MAX_RECEIVED = 500;
const MAX_CHARACTERS = 100_000_000;
/** Answers in a row without a message after which a queue is empty: one alone may miss some. */
const EMPTY_ANSWERS = 2;
/** Counts messages that somebody has received a short time ago. */
const HIDDEN = 'ApproximateNumberOfMessagesNotVisible';

/** The queues of webhooks in SQS, see {@link WebhookQueues}. */
export class SqsWebhookQueues implements WebhookQueues {
  readonly #client: SQSClient;
  readonly #maxReceived: number;
  readonly #maxCharacters: number;

  constructor(
    client: SQSClient,
    { maxReceived = MAX_RECEIVED, maxCharacters = MAX_CHARACTERS } = {},
  ) {
    this.#client = client;
    this.#maxReceived = maxReceived;
    this.#maxCharacters = maxCharacters;
  }

  count(queueUrl: string): Promise<number> {
    return this.#count(queueUrl, [
      'ApproximateNumberOfMessages',
      HIDDEN,
      'ApproximateNumberOfMessagesDelayed',
    ]);
  }

  async send(queueUrl: string, body: string, id: string): Promise<void> {
    await this.#send(queueUrl, body, id, id);
  }

  async redrive(
    webhook: DeployedWebhook,
    isToMove: (body: string) => boolean,
  ): ReturnType<WebhookQueues['redrive']> {
    const { deadLettersUrl } = webhook;
    // A FIFO queue shows the next messages of a group only when the ones before are gone.
    const isFifo = webhook.queueUrl.endsWith('.fifo');
    const hiddenCount = await this.#count(deadLettersUrl, [HIDDEN]);
    let receivedCount = 0;
    let characters = 0;
    let movedCount = 0;
    let emptyAnswers = 0;
    const left: Message[] = [];
    const held: Message[] = [];
    while (
      emptyAnswers < EMPTY_ANSWERS &&
      receivedCount < this.#maxReceived &&
      characters < this.#maxCharacters
    ) {
      const messages = await this.#receive(deadLettersUrl);
      receivedCount += messages.length;
      characters += messages.reduce((sum, { Body = '' }) => sum + Body.length, 0);
      emptyAnswers = messages.length === 0 ? emptyAnswers + 1 : 0;
      for (const message of messages) (isToMove(message.Body ?? '') ? held : left).push(message);
      if (isFifo) movedCount += await this.#move(held.splice(0), webhook);
    }
    movedCount += await this.#move(inOrder(held), webhook);
    const isComplete = emptyAnswers === EMPTY_ANSWERS;
    // If there are more, these stay hidden for a while: the repeated request shall find the others.
    if (isComplete) await this.#release(left, deadLettersUrl);
    return { movedCount, isComplete, hiddenCount };
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

  async #release(messages: readonly Message[], QueueUrl: string): Promise<void> {
    for (const batch of packBatches(messages, { maxItems: MESSAGES_PER_CALL })) {
      const Entries = batch.map(({ ReceiptHandle }, id) => {
        return { Id: String(id), ReceiptHandle, VisibilityTimeout: 0 };
      });
      // One that is not released comes back on its own.
      await this.#client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    }
  }
}

/** By the time of the event; what has none comes first. */
function inOrder(messages: readonly Message[]): readonly Message[] {
  const times = new Map(messages.map((message) => [message, timeOf(message)]));
  const at = (message: Message): number => times.get(message) ?? 0;
  return messages.toSorted((a, b) => at(a) - at(b));
}

function timeOf({ Body = '' }: Message): number {
  try {
    return Date.parse((JSON.parse(Body) as { time?: string }).time ?? '') || 0;
  } catch {
    return 0;
  }
}
