import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { LOCAL_REGION } from '../embedded/endpoints.ts';
import type { LambdaFunction } from './lambda-function.ts';

/** A mapping of the template: which function works the messages of which queue. */
export interface MappingDefinition {
  readonly uuid: string;
  readonly functionArn: string;
  readonly queueArn: string;
  readonly queueUrl: string;
  /** Maximum number of messages in one invocation. */
  readonly batchSize: number;
}

export interface MappingOptions {
  readonly sqs: SQSClient;
  readonly function: Pick<LambdaFunction, 'invoke'>;
  /** Receives why a batch failed, or could not be received. */
  readonly onProblem: (problem: string, error: Error) => void;
}

/** How long a call waits for messages, and so how long disabling takes. Lambda waits 20. */
const WAIT_SECONDS = 1;
const RETRY_MS = 1_000;

/**
 * Hands the messages of a queue to a function, batch by batch, as an event source mapping of Lambda
 * does.
 *
 * Messages that were worked are deleted. Others stay hidden until their visibility timeout ends, so
 * nothing is lost if the function fails or is killed.
 */
export class EventSourceMapping {
  readonly definition: MappingDefinition;
  readonly #options: MappingOptions;
  readonly #closing = new AbortController();
  #isEnabled = false;
  #polling: Promise<void> | undefined;

  constructor(definition: MappingDefinition, options: MappingOptions, isEnabled = true) {
    this.definition = definition;
    this.#options = options;
    this.setEnabled(isEnabled);
  }

  get state(): 'Disabled' | 'Disabling' | 'Enabled' {
    if (this.#isEnabled) return 'Enabled';
    return this.#polling ? 'Disabling' : 'Disabled';
  }

  /** Switches it on or off. A batch that was received is still worked. */
  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled;
    if (!isEnabled || this.#polling) return;
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
    });
  }

  /** Ends it at once. Resolves once the current batch has ended: kill its function. */
  async close(): Promise<void> {
    this.#isEnabled = false;
    this.#closing.abort();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    while (this.#isEnabled) {
      const messages = await this.#receive();
      if (messages.length > 0) await this.#work(messages);
    }
  }

  async #receive(): Promise<readonly Message[]> {
    const { sqs, onProblem } = this.#options;
    const { signal } = this.#closing;
    const command = new ReceiveMessageCommand({
      QueueUrl: this.definition.queueUrl,
      MaxNumberOfMessages: this.definition.batchSize,
      WaitTimeSeconds: WAIT_SECONDS,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    });
    try {
      const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
      return signal.aborted ? [] : Messages;
    } catch (error) {
      if (signal.aborted) return [];
      onProblem('Messages were not received', error as Error);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      return [];
    }
  }

  /** Has the function work a batch, and deletes the messages that it worked. Never rejects. */
  async #work(messages: readonly Message[]): Promise<void> {
    const { sqs, onProblem } = this.#options;
    const { queueArn, queueUrl } = this.definition;
    try {
      const Records = messages.map((message) => recordOf(message, queueArn));
      const answer = await this.#options.function.invoke({ Records });
      const { batchItemFailures = [] } = (answer ?? {}) as Partial<SQSBatchResponse>;
      const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      const Entries = messages
        .filter(({ MessageId = '' }) => !failed.includes(MessageId))
        .map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
      if (Entries.length === 0) return;
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      onProblem(`A batch of ${messages.length} messages failed, and follows later`, error as Error);
    }
  }
}

/** A message as Lambda hands it to a function. */
function recordOf(message: Message, queueArn: string): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(
    ([name, { StringValue, DataType }]) =>
      [name, { stringValue: StringValue, dataType: DataType }] as const,
  );
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    // The receiver asks for all of them.
    attributes: message.Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes) as SQSRecord['messageAttributes'],
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: LOCAL_REGION,
  };
}
