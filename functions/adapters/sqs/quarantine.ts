import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import PQueue from 'p-queue';
import { SitecastError } from '../../core/model/errors.ts';
import { ExactNumber } from '../../core/model/json/json.ts';
import { isoTime } from '../../core/model/timestamp.ts';
import type { ClaimCheck } from '../../core/ports/event-topic.ts';
import type { Quarantine, QuarantinedItem } from '../../core/ports/quarantine.ts';
import { inParallel, packBatches, sendUntilDone } from '../shared/batches.ts';
import { requestHandler } from '../shared/request-handler.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../shared/retry.ts';
import { whileTimeRemains } from '../shared/while-time-remains.ts';

/** Messages a SendMessageBatch takes. */
const MESSAGES_PER_CALL = 10;
/**
 * Bytes of a message, and of all messages of one call. SQS accepts 1 MiB, but not every queue, tool and
 * failure destination accepts more than 256 KiB.
 */
const MAX_BYTES = 262_144;
/** Puts of copies in flight. Each holds its item as a text in memory. */
const COPIES_IN_FLIGHT = 8;
/** Characters of a text in a message without its value. */
const MAX_TEXT_LENGTH = 1_000;

export interface SqsQuarantineOptions {
  /** Retries throttles, 5xx and network errors of whole calls. */
  readonly client?: SQSClient;
  readonly queueUrl: string;
  /** Keeps each item whole for a year: messages of a queue are gone after 14 days, seen or not. */
  readonly copies: ClaimCheck;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
  /** Calls in flight. Default 8. */
  readonly concurrency?: number;
  /** For messages of a batch that the queue did not accept. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/** Message of the quarantine queue, as JSON: an item with its value in one of three forms. */
export type QuarantineMessage = Omit<QuarantinedItem, 'value'> & {
  /** Address of the whole item: `s3://<bucket>/quarantine/<day>/<digest>.json`. */
  readonly copy: string;
} & (
    | { readonly value: unknown }
    /** A large value: base64 of the gzip of its JSON. */
    | { readonly valueEncoding: 'gzip+base64'; readonly value: string }
    /** A value that is too large even compressed. */
    | {
        readonly valueOmitted: true;
        /** UTF-8 bytes of the value's JSON. */
        readonly valueBytes: number;
        /** `id`, `type` and `subject` of the value, cut; only texts and numbers. */
        readonly identity: Readonly<Record<string, string>>;
      }
  );

/** A message body that the queue did not accept. */
interface Failure {
  readonly body: string;
  readonly reason: string;
}

/**
 * Quarantines items in an SQS queue as {@link QuarantineMessage}s, each with a copy in a bucket. Errors of
 * the SDK pass through.
 */
export class SqsQuarantine implements Quarantine {
  readonly #options: SqsQuarantineOptions;
  readonly #client: SQSClient;
  readonly #retry: RetryPolicy;
  readonly #calls: PQueue;
  readonly #puts = new PQueue({ concurrency: COPIES_IN_FLIGHT });

  constructor(options: SqsQuarantineOptions) {
    this.#options = options;
    this.#client = options.client ?? new SQSClient({ requestHandler });
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#calls = new PQueue({ concurrency: options.concurrency ?? 8 });
  }

  async put(items: readonly QuarantinedItem[]): Promise<void> {
    const bodies = await inParallel(items, this.#puts, async (item) =>
      bodyOf(item, await this.#copy(item)),
    );
    const batches = packBatches(bodies, {
      maxItems: MESSAGES_PER_CALL,
      maxBytes: MAX_BYTES,
      bytesOf: (body) => Buffer.byteLength(body),
    });
    await inParallel(batches, this.#calls, (batch) => this.#putBatch(batch));
  }

  /** Equal items of a day share a copy. @returns its address. */
  #copy(item: QuarantinedItem): Promise<string> {
    const { copies, now = Date.now } = this.#options;
    const json = JSON.stringify(item);
    const digest = createHash('sha256').update(json).digest('hex').slice(0, 32);
    const day = isoTime(now()).slice(0, 10);
    return copies.put(`${day}/${digest}`, json);
  }

  async #putBatch(batch: readonly string[]): Promise<void> {
    let reason = '';
    const send = async (bodies: readonly string[]): Promise<string[]> => {
      const failures = await this.#send(bodies);
      reason = failures[0]?.reason ?? '';
      return failures.map(({ body }) => body);
    };
    const remaining = await sendUntilDone(batch, send, this.#retry);
    if (remaining.length === 0) return;
    throw new SitecastError(
      `Queue ${this.#options.queueUrl} did not accept ${remaining.length} of ${batch.length} messages, ${this.#retry.maxTries} times in a row: ${reason}`,
      {
        hint: "The next run repeats them. If it persists, check the queue's policy and key, and that it accepts messages of 256 KiB.",
      },
    );
  }

  /** Sends one call. @returns the messages that the queue did not accept. */
  async #send(bodies: readonly string[]): Promise<Failure[]> {
    const { queueUrl: QueueUrl } = this.#options;
    const Entries = bodies.map((body, id) => ({ Id: String(id), MessageBody: body }));
    const send = new SendMessageBatchCommand({ QueueUrl, Entries });
    const limits = { ...this.#retry, callee: `Queue ${QueueUrl}` };
    const answer = await whileTimeRemains(limits, (options) => this.#client.send(send, options));
    const accepted = new Set(answer.Successful?.map(({ Id }) => Id));
    const failed = new Map(answer.Failed?.map((entry) => [entry.Id, entry]));
    return bodies.flatMap((body, id) => {
      if (accepted.has(String(id))) return [];
      const { Code = 'NoAnswer', Message = 'no reason given' } = failed.get(String(id)) ?? {};
      return [{ body, reason: `${Code}: ${Message}` }];
    });
  }
}

/** The item as a message body: whole if it fits, else with its value compressed, else without it. */
function bodyOf(item: QuarantinedItem, copy: string): string {
  const { feed, cursor, reason, value } = item;
  const origin = { feed, ...(cursor !== undefined && { cursor }), reason, copy };
  const json = JSON.stringify(value);
  const whole = json.length <= MAX_BYTES ? plainJson({ ...origin, value }) : undefined;
  if (whole !== undefined && fits(whole)) return whole;
  const compressed = plainJson({
    ...origin,
    valueEncoding: 'gzip+base64',
    value: gzipSync(json).toString('base64'),
  });
  if (fits(compressed)) return compressed;
  return plainJson({
    ...origin,
    reason: reason.slice(0, MAX_TEXT_LENGTH),
    valueOmitted: true,
    valueBytes: Buffer.byteLength(json),
    identity: identityOf(value),
  });
}

const fits = (body: string): boolean => Buffer.byteLength(body) <= MAX_BYTES;

function identityOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, type, subject } = value as Record<'id' | 'type' | 'subject', unknown>;
  return Object.fromEntries(
    Object.entries({ id, type, subject }).flatMap(([name, named]) =>
      typeof named === 'string' || typeof named === 'number' || named instanceof ExactNumber
        ? [[name, String(named).slice(0, MAX_TEXT_LENGTH)]]
        : [],
    ),
  );
}

/**
 * JSON in the characters that every queue accepts. SQS refuses U+FFFE and U+FFFF, and some readers fail on
 * characters beyond U+FFFF, so these are escaped. Millions of them would take hundreds of MB: not for copies.
 */
function plainJson(message: QuarantineMessage): string {
  return JSON.stringify(message).replace(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16)}`,
  );
}
