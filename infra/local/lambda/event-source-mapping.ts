import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { LambdaHost } from './lambda-host.ts';
import { findFailures, makeSqsEvent } from './sqs-batch.ts';

/** A mapping of the template: which function works the messages of which queue. */
export interface MappingDefinition {
  readonly uuid: string;
  readonly arn: string;
  readonly functionArn: string;
  readonly queueArn: string;
  readonly queueUrl: string;
  /** Maximum number of messages in one invocation. */
  readonly batchSize: number;
  /** Maximum number of invocations at a time; absent: Lambda's own. */
  readonly maxConcurrency?: number;
  /** Whether the function names the messages that it did not work. */
  readonly hasItemFailures: boolean;
  readonly isEnabled: boolean;
}

/** What the mapping works with. */
export interface MappingOptions {
  readonly sqs: SQSClient;
  /** Instances of the function: so many batches are worked at a time. */
  readonly instances: readonly Pick<LambdaHost, 'invoke'>[];
  /** Receives why a batch failed, or could not be received. */
  readonly onProblem: (problem: string, error: Error) => void;
}

/** The state as Lambda names it. */
export type MappingState = 'Disabled' | 'Disabling' | 'Enabled';

/** How long a call waits for messages, and so how long disabling takes. Lambda waits 20. */
const WAIT_SECONDS = 1;
const RETRY_MS = 1_000;
const SETTLE_MS = 50;

/**
 * Hands the messages of a queue to a function, as an event source mapping of Lambda does.
 *
 * Messages that were worked are deleted. Others stay hidden until their visibility timeout ends, so nothing is
 * lost if the function fails or is killed.
 */
export class EventSourceMapping {
  readonly definition: MappingDefinition;
  readonly #options: MappingOptions;
  readonly #busy: boolean[];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isEnabled = false;
  #isRetired = false;
  #polling: Promise<void> | undefined;
  #modifiedAt = Date.now();

  /** @param isEnabled whether it works from the start; default: as the template says. */
  constructor(
    definition: MappingDefinition,
    options: MappingOptions,
    isEnabled = definition.isEnabled,
  ) {
    this.definition = definition;
    this.#options = options;
    this.#busy = options.instances.map(() => false);
    this.setEnabled(isEnabled);
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  get state(): MappingState {
    if (this.#isEnabled) return 'Enabled';
    return this.#polling ? 'Disabling' : 'Disabled';
  }

  /** Milliseconds since 1970. */
  get modifiedAt(): number {
    return this.#modifiedAt;
  }

  /** Switches it on or off. A batch that was received is still worked. */
  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled;
    this.#modifiedAt = Date.now();
    if (!isEnabled || this.#polling) return;
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
    });
  }

  /** Receives nothing more. Resolves once the last call for messages has ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#polling;
  }

  /** Resolves once the queue shows no message, and none is worked; those that wait for a retry are hidden. */
  async settle(signal: AbortSignal): Promise<void> {
    const { signal: closing } = this.#closing;
    let quietCount = 0;
    // A message that was just received is neither in the queue nor in a batch for a moment.
    while (this.#isEnabled && !signal.aborted && !closing.aborted && quietCount < 2) {
      const { Attributes: { ApproximateNumberOfMessages: count } = {} } =
        await this.#options.sqs.send(
          new GetQueueAttributesCommand({
            QueueUrl: this.definition.queueUrl,
            AttributeNames: ['ApproximateNumberOfMessages'],
          }),
        );
      quietCount = count === '0' && this.#inFlight.size === 0 ? quietCount + 1 : 0;
      await delay(SETTLE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Ends it at once. Resolves once all batches have ended, so their function has to be killed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.retire();
    await Promise.all(this.#inFlight);
  }

  async #poll(): Promise<void> {
    while (this.#isEnabled && !this.#isRetired) {
      // The first instances work alone while they keep up: each is a process.
      const free = this.#busy.indexOf(false);
      if (free === -1) {
        await Promise.race(this.#inFlight);
        continue;
      }
      const messages = await this.#receive();
      if (messages.length === 0) continue;
      this.#busy[free] = true;
      const work = this.#work(free, messages).finally(() => {
        this.#busy[free] = false;
        this.#inFlight.delete(work);
      });
      this.#inFlight.add(work);
    }
  }

  async #receive(): Promise<readonly Message[]> {
    const { sqs, onProblem } = this.#options;
    const { queueUrl, batchSize } = this.definition;
    const { signal } = this.#closing;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
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

  /** Has an instance work a batch, and deletes the messages that it worked. Never rejects. */
  async #work(instance: number, messages: readonly Message[]): Promise<void> {
    const { sqs, instances, onProblem } = this.#options;
    const { queueArn, queueUrl, hasItemFailures } = this.definition;
    try {
      const answer = await instances[instance]?.invoke(makeSqsEvent(messages, queueArn));
      const failures = hasItemFailures ? findFailures(answer, messages) : [];
      const Entries = messages
        .filter((message) => !failures.includes(message))
        .map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
      if (Entries.length === 0) return;
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      onProblem(`A batch of ${messages.length} messages failed, and follows later`, error as Error);
    }
  }
}
