import type { SNSClient } from '@aws-sdk/client-sns';
import PQueue from 'p-queue';
import type { ChangeEvent } from '../../core/contract/events.ts';
import { storedName } from '../../core/events/make-event.ts';
import { PublishFailedError, SitecastError } from '../../core/model/errors.ts';
import type { EventTopic, RefusedEvent } from '../../core/ports/event-topic.ts';
import { isThrottled, summarizeError } from '../shared/aws-errors.ts';
import { inParallel, sendUntilDone } from '../shared/batches.ts';
import type { ClaimCheck } from '../shared/claim-check.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../shared/retry.ts';
import { hintFor } from './classify-failure.ts';
import { makeMessage, plainJson, type Message, type MessageOptions } from './message.ts';
import { packBatches } from './pack-batches.ts';
import { publishBatch, type Failure } from './publish-batch.ts';

/** Entries a PublishBatch takes. */
const ENTRIES_PER_CALL = 10;
/** SNS's default maximum of a message, and of all messages of one call together: 256 KiB. */
const DEFAULT_MAX_BYTES = 262_144;
/** Puts into the claim check in flight. Each holds its event as a text in memory. */
const CLAIM_CONCURRENCY = 8;

export interface SnsTopicOptions {
  /** Retries throttles, 5xx and network errors before this adapter does. */
  readonly client: SNSClient;
  /** A FIFO topic ends in `.fifo`. */
  readonly topicArn: string;
  /** Stores events that are too large. */
  readonly claimCheck: ClaimCheck;
  /** Maximum bytes of body and attributes, of one message and of a call. Default: 256 KiB. */
  readonly maxBytes?: number;
  /** Calls in flight. Default 32, within the SDK's 50 sockets. */
  readonly concurrency?: number;
  /**
   * For transient failures of entries and calls. Default {@link DEFAULT_RETRY}. Throttled messages
   * are sent until they are accepted, or no time remains: if each page gave up, and all of it were
   * published again, none might ever be accepted whole.
   */
  readonly retry?: RetryPolicy;
}

interface Progress {
  acceptedCount: number;
  readonly refused: Map<ChangeEvent, string>;
}

export class SnsTopic implements EventTopic {
  readonly #options: Required<SnsTopicOptions>;
  readonly #messageOptions: MessageOptions;
  readonly #calls: PQueue;
  readonly #claims = new PQueue({ concurrency: CLAIM_CONCURRENCY });

  constructor(options: SnsTopicOptions) {
    this.#options = {
      maxBytes: DEFAULT_MAX_BYTES,
      concurrency: 32,
      retry: DEFAULT_RETRY,
      ...options,
    };
    const { maxBytes, concurrency, topicArn } = this.#options;
    this.#messageOptions = { maxBytes, isFifo: topicArn.endsWith('.fifo') };
    this.#calls = new PQueue({ concurrency });
  }

  async publish(events: readonly ChangeEvent[]): Promise<RefusedEvent[]> {
    const progress: Progress = { acceptedCount: 0, refused: new Map() };
    try {
      await this.#publishAll(events, progress);
    } catch (error) {
      const { acceptedCount, refused } = progress;
      const remainingCount = events.length - acceptedCount - refused.size;
      const hint = error instanceof SitecastError ? error.hint : hintFor(error);
      throw new PublishFailedError(
        `Topic ${this.#options.topicArn} accepted ${acceptedCount} of ${events.length} events; ` +
          `${remainingCount} remain: ${summarizeError(error)}`,
        { hint, cause: error, acceptedCount },
      );
    }
    return events.flatMap((event) => {
      const reason = progress.refused.get(event);
      return reason === undefined ? [] : [{ event, reason }];
    });
  }

  async #publishAll(events: readonly ChangeEvent[], progress: Progress): Promise<void> {
    const messages = await this.#messagesOf(events);
    const { maxBytes } = this.#options;
    const fitting = messages.filter(({ event, bytes }) => {
      if (bytes <= maxBytes) return true;
      const reason = `The event has ${bytes} bytes without its data: the maximum is ${maxBytes}`;
      progress.refused.set(event, reason);
      return false;
    });
    const batches = packBatches(fitting, {
      maxItems: ENTRIES_PER_CALL,
      maxBytes,
      bytesOf: ({ bytes }) => bytes,
    });
    await inParallel(batches, this.#calls, (batch) => this.#publishBatch(batch, progress));
  }

  /**
   * The messages of the events in their order. Stores large events before anything is published, so
   * that a failing claim check causes no repeats.
   */
  async #messagesOf(events: readonly ChangeEvent[]): Promise<Message[]> {
    // Texts of large events are dropped: those of a whole page could fill the memory.
    const wholeMessages = events.map((event) => {
      const message = makeMessage(event, this.#messageOptions);
      return message.bytes <= this.#options.maxBytes ? message : undefined;
    });
    const large = events.filter((_, i) => wholeMessages[i] === undefined);
    const claimChecks = await inParallel(large, this.#claims, (event) => this.#toClaimCheck(event));
    return wholeMessages.flatMap((message) => message ?? claimChecks.shift() ?? []);
  }

  /** Stores an event. @returns the claim check to send in its place. */
  async #toClaimCheck(event: ChangeEvent): Promise<Message> {
    const { claimCheck } = this.#options;
    const dataref = await claimCheck.put(storedName(event), plainJson(event));
    return makeMessage(event, { ...this.#messageOptions, dataref });
  }

  async #publishBatch(batch: readonly Message[], progress: Progress): Promise<void> {
    let lastError: Error | undefined;
    const send = async (messages: readonly Message[]): Promise<Message[]> => {
      const failures = await this.#send(messages, progress);
      for (const { message, error, fault } of failures) {
        if (fault === 'event') progress.refused.set(message.event, summarizeError(error));
        else lastError = error;
      }
      const topicFault = failures.find(({ fault }) => fault === 'topic');
      if (topicFault) throw topicFault.error;
      return failures.filter(({ fault }) => fault === 'transient').map(({ message }) => message);
    };
    const remaining = await sendUntilDone(batch, send, {
      ...this.#options.retry,
      isThrottled: () => isThrottled(lastError),
    });
    if (remaining.length > 0) throw lastError ?? new Error('The topic gave no reason');
  }

  /** Sends messages, and those of a refused call again alone. @returns the final failures. */
  async #send(messages: readonly Message[], progress: Progress): Promise<Failure[]> {
    const { client, topicArn, retry } = this.#options;
    const failures = await publishBatch(client, topicArn, messages, retry);
    progress.acceptedCount += messages.length - failures.length;
    const finalFailures: Failure[] = [];
    for (const failure of failures) {
      // One event can fail a whole call. Sent alone, only that event is refused.
      if (failure.fault === 'call')
        finalFailures.push(...(await this.#send([failure.message], progress)));
      else finalFailures.push(failure);
    }
    return finalFailures;
  }
}
