import type { SNSClient } from '@aws-sdk/client-sns';
import PQueue from 'p-queue';
import { inParallel, packBatches, sendUntilDone } from '../shared/batches.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../shared/retry.ts';
import { LeaseLostError, PublishFailedError, SitecastError } from '../../core/model/errors.ts';
import type { ChangeEvent } from '../../core/contract/events.ts';
import { summarizeError } from '../shared/error-summary.ts';
import { publishBatch, type Failure } from './publish-batch.ts';
import { hintFor } from './classify-failure.ts';
import { plainJson, makeMessage, type Message, type MessageOptions } from './message.ts';
import { type LeaseGuard } from '../../core/ports/lease-guard.ts';
import {
  type ClaimCheck,
  type EventTopic,
  type RefusedEvent,
} from '../../core/ports/event-topic.ts';

/** Entries a PublishBatch takes. */
const ENTRIES_PER_CALL = 10;
/** SNS's default maximum of a message, and of all messages of one call together: 256 KiB. */
const DEFAULT_MAX_BYTES = 262_144;
/** Large events on their way to the claim check at most. Each is in memory as a text meanwhile. */
const CLAIMS_AT_ONCE = 8;

/** What an {@link SnsTopic} works with. */
export interface SnsTopicOptions {
  /** Its own retries (throttles, 5xx, network) come before the topic's. */
  readonly client: SNSClient;
  /** A FIFO topic, if it ends in `.fifo`. */
  readonly topicArn: string;
  /** Keeps events that are too large. */
  readonly claimCheck: ClaimCheck;
  /** Bytes of body and attributes that the topic takes, alone and summed over a call. */
  readonly maxBytes?: number;
  /** Calls in flight at most. Default 32, within the SDK's 50 sockets. */
  readonly concurrency?: number;
  /** For entries and calls that failed but may pass. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/** How far one `publish` got. */
interface Progress {
  accepted: number;
  readonly refused: Map<ChangeEvent, string>;
  /** Events that were refused alone, for a reason that may be the topic's. */
  readonly unknownFailures: Map<ChangeEvent, Error>;
  readonly guard: LeaseGuard | undefined;
}

/** Publishes to an SNS topic, in batches. */
export class SnsTopic implements EventTopic {
  readonly #client: SNSClient;
  readonly #topicArn: string;
  readonly #isFifo: boolean;
  readonly #claimCheck: ClaimCheck;
  readonly #maxBytes: number;
  readonly #messageOptions: MessageOptions;
  readonly #retry: RetryPolicy;
  readonly #calls: PQueue;
  readonly #claims = new PQueue({ concurrency: CLAIMS_AT_ONCE });

  constructor(options: SnsTopicOptions) {
    this.#client = options.client;
    this.#topicArn = options.topicArn;
    this.#isFifo = options.topicArn.endsWith('.fifo');
    this.#claimCheck = options.claimCheck;
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#messageOptions = { maxBytes: this.#maxBytes, isFifo: this.#isFifo };
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#calls = new PQueue({ concurrency: options.concurrency ?? 32 });
  }

  async publish(events: readonly ChangeEvent[], guard?: LeaseGuard): Promise<RefusedEvent[]> {
    const progress: Progress = {
      accepted: 0,
      refused: new Map(),
      unknownFailures: new Map(),
      guard,
    };
    try {
      const keyOf = this.#isFifo ? groupOf : entityOf;
      for (const round of orderingRounds(events, keyOf)) await this.#publishRound(round, progress);
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      const left = events.length - progress.accepted - progress.refused.size;
      throw new PublishFailedError(
        `Topic ${this.#topicArn} accepted ${progress.accepted} of ${events.length} events; ${left} are left: ${summarizeError(error)}`,
        { hint: error instanceof SitecastError ? error.hint : hintFor(error), cause: error },
      );
    }
    return events.flatMap((event) => {
      const reason = progress.refused.get(event);
      return reason === undefined ? [] : [{ event, reason }];
    });
  }

  async #publishRound(events: readonly ChangeEvent[], progress: Progress): Promise<void> {
    const messages = await this.#messagesOf(events, progress.guard);
    const fitting = messages.filter(({ event, bytes }) => {
      if (bytes <= this.#maxBytes) return true;
      const reason = `the event has ${bytes} bytes without its data, at most ${this.#maxBytes} are allowed`;
      progress.refused.set(event, reason);
      return false;
    });
    const batches = packBatches(fitting, {
      maxItems: ENTRIES_PER_CALL,
      maxBytes: this.#maxBytes,
      bytesOf: ({ bytes }) => bytes,
    });
    await inParallel(batches, this.#calls, (batch) => this.#publishBatch(batch, progress));
    resolveUnknownFailures(progress);
  }

  /**
   * The messages of the events in their order. Before anything of a round is published, its large
   * events are kept: a claim check that does not work leads to no repeats.
   */
  async #messagesOf(
    events: readonly ChangeEvent[],
    guard: LeaseGuard | undefined,
  ): Promise<Message[]> {
    // Of a large event only the fact is kept: a page of them, all as texts, could fill the memory.
    const whole = events.map((event) => {
      const message = makeMessage(event, this.#messageOptions);
      return message.bytes <= this.#maxBytes ? message : undefined;
    });
    const large = events.filter((_, i) => whole[i] === undefined);
    const references = await inParallel(large, this.#claims, (event) =>
      this.#toClaimCheck(event, guard),
    );
    return whole.flatMap((message) => message ?? references.shift() ?? []);
  }

  /** The message that refers to an event, once that is kept. */
  async #toClaimCheck(event: ChangeEvent, guard: LeaseGuard | undefined): Promise<Message> {
    const dataref = await this.#claimCheck.put(event.id, plainJson(event), guard);
    return makeMessage(event, { ...this.#messageOptions, dataref });
  }

  async #publishBatch(batch: readonly Message[], progress: Progress): Promise<void> {
    let lastError: Error | undefined;
    const send = async (messages: readonly Message[]): Promise<Message[]> => {
      const failures = await this.#send(messages, progress);
      for (const { message, error, fault } of failures) {
        if (fault === 'event') progress.refused.set(message.event, summarizeError(error));
        else if (fault === 'unknown') progress.unknownFailures.set(message.event, error);
        else lastError = error;
      }
      const topicFault = failures.find(({ fault }) => fault === 'topic');
      if (topicFault) throw topicFault.error;
      return failures.filter(({ fault }) => fault === 'passing').map(({ message }) => message);
    };
    const left = await sendUntilDone(batch, send, this.#retry);
    if (left.length > 0) throw lastError ?? new Error('the topic gave no reason');
  }

  /** Sends messages, and what is refused again if it can be sent otherwise. Resolves with what is left. */
  async #send(messages: readonly Message[], progress: Progress): Promise<Failure[]> {
    const failures = await publishBatch(this.#client, this.#topicArn, messages, progress.guard);
    progress.accepted += messages.length - failures.length;
    const left: Failure[] = [];
    for (const failure of failures) left.push(...(await this.#sendOtherwise(failure, progress)));
    return left;
  }

  async #sendOtherwise(failure: Failure, progress: Progress): Promise<Failure[]> {
    const { message, fault } = failure;
    // One event can spoil a call: each is sent alone, so that only that one is refused.
    if (fault === 'call') return this.#send([message], progress);
    if (fault !== 'size') return [failure];
    if (message.isClaimCheck) return [{ ...failure, fault: 'event' }];
    const { event } = message;
    const reference = await this.#claims.add(() => this.#toClaimCheck(event, progress.guard));
    return this.#send([reference], progress);
  }
}

/**
 * Says whose fault it was that events were refused alone for a reason that nobody knows: theirs, if at
 * least as many others were accepted, else the topic's. A poisonous event is one among many good ones,
 * and must not block them. A topic that is set up wrongly refuses everything, and must not have good
 * events set aside, not even when that began in the middle. Judged before the next events of the same
 * entities are sent, which must not overtake them.
 *
 * @throws Error that of the first of them, if it is the topic's fault.
 */
function resolveUnknownFailures({ accepted, unknownFailures, refused }: Progress): void {
  const [first] = unknownFailures.values();
  if (first !== undefined && unknownFailures.size > accepted) throw first;
  for (const [event, error] of unknownFailures) refused.set(event, summarizeError(error));
}

/** Whose events are kept in order: an entity's, at one place. */
const entityOf = ({ partitionkey, subject }: ChangeEvent): string => `${partitionkey} ${subject}`;
/** On a FIFO topic: a message group's. */
const groupOf = ({ partitionkey }: ChangeEvent): string => partitionkey;

/**
 * Sets the second event of an entity into a second round and so on. A round begins when the one before
 * is accepted, so a partly failed batch cannot let an entity's events overtake each other.
 */
function orderingRounds(
  events: readonly ChangeEvent[],
  keyOf: (event: ChangeEvent) => string,
): ChangeEvent[][] {
  const rounds: ChangeEvent[][] = [];
  const roundsTaken = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event);
    const round = roundsTaken.get(key) ?? 0;
    (rounds[round] ??= []).push(event);
    roundsTaken.set(key, round + 1);
  }
  return rounds;
}
