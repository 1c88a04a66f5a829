import { gzipSync } from 'node:zlib';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import PQueue from 'p-queue';
import { inParallel, packBatches, sendUntilDone } from '../shared/batches.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../shared/retry.ts';
import { SitecastError } from '../../core/model/errors.ts';
import { type Quarantine, type QuarantinedItem } from '../../core/ports/quarantine.ts';

/** Messages a SendMessageBatch takes. */
const MESSAGES_PER_CALL = 10;
/**
 * Bytes of a message, and of all messages of one call together. SQS takes 1 MiB by now; 256 KiB is what
 * every queue, its tools and its failure destinations take.
 */
const MAX_BYTES = 262_144;
/** Characters kept of a text whose item is cut down. */
const CUT_LENGTH = 1_000;

/** What a {@link SqsQuarantine} works with. */
export interface SqsQuarantineOptions {
  /** Its own retries (throttles, 5xx, network) stay in charge of whole calls. */
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Calls in flight at most. Default 8. */
  readonly concurrency?: number;
  /** For messages that a batch did not take. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/** What lies in the quarantine queue, as JSON: an item, with its value in one of three forms. */
export type QuarantineMessage = Omit<QuarantinedItem, 'value'> &
  (
    | { readonly value: unknown }
    /** A value that is too large as it is: base64 of the gzip of its JSON. */
    | { readonly valueEncoding: 'gzip+base64'; readonly value: string }
    /** A value that is too large even so. */
    | {
        readonly valueOmitted: true;
        /** UTF-8 bytes of the value's JSON. */
        readonly valueBytes: number;
        /** What the value says of `id`, `type` and `subject`, as far as those are texts or numbers, cut. */
        readonly identity: Readonly<Record<string, string>>;
      }
  );

/** A message body that the queue has not taken, and why. */
interface Failure {
  readonly body: string;
  readonly words: string;
}

/**
 * Keeps what is set aside in an SQS queue, one {@link QuarantineMessage} a message. Errors of the SDK
 * pass through.
 */
export class SqsQuarantine implements Quarantine {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #retry: RetryPolicy;
  readonly #calls: PQueue;

  constructor(options: SqsQuarantineOptions) {
    this.#client = options.client;
    this.#queueUrl = options.queueUrl;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#calls = new PQueue({ concurrency: options.concurrency ?? 8 });
  }

  async put(items: readonly QuarantinedItem[]): Promise<void> {
    const batches = packBatches(items.map(bodyOf), {
      maxItems: MESSAGES_PER_CALL,
      maxBytes: MAX_BYTES,
      bytesOf: (body) => Buffer.byteLength(body),
    });
    await inParallel(batches, this.#calls, (batch) => this.#putBatch(batch));
  }

  async #putBatch(batch: readonly string[]): Promise<void> {
    let words = '';
    const send = async (bodies: readonly string[]): Promise<string[]> => {
      const failures = await this.#send(bodies);
      words = failures[0]?.words ?? '';
      return failures.map(({ body }) => body);
    };
    const left = await sendUntilDone(batch, send, this.#retry);
    if (left.length === 0) return;
    throw new SitecastError(
      `Queue ${this.#queueUrl} did not take ${left.length} of ${batch.length} messages, ${this.#retry.maxTries} times in a row: ${words}`,
      {
        hint: "The next run sets them aside again. If it lasts, check the queue's policy and key, and that the queue takes messages of 256 KiB.",
      },
    );
  }

  /** Sends one call. Resolves with what the queue did not take. */
  async #send(bodies: readonly string[]): Promise<Failure[]> {
    const answer = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: bodies.map((body, id) => ({ Id: String(id), MessageBody: body })),
      }),
    );
    const taken = new Set(answer.Successful?.map(({ Id }) => Id));
    const failed = new Map(answer.Failed?.map((entry) => [entry.Id, entry]));
    return bodies.flatMap((body, id) => {
      if (taken.has(String(id))) return [];
      const { Code = 'NoAnswer', Message = 'no reason given' } = failed.get(String(id)) ?? {};
      return [{ body, words: `${Code}: ${Message}` }];
    });
  }
}

/** The item as a message body: whole if it fits, else with its value packed, else without its value. */
function bodyOf(item: QuarantinedItem): string {
  const { feed, cursor, reason, value } = item;
  const where = { feed, ...(cursor !== undefined && { cursor }), reason };
  const whole = plainJson({ ...where, value });
  if (fits(whole)) return whole;
  const json = JSON.stringify(value);
  const packed = plainJson({
    ...where,
    valueEncoding: 'gzip+base64',
    value: gzipSync(json).toString('base64'),
  });
  if (fits(packed)) return packed;
  return plainJson({
    ...where,
    reason: reason.slice(0, CUT_LENGTH),
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
      typeof named === 'string' || typeof named === 'number'
        ? [[name, String(named).slice(0, CUT_LENGTH)]]
        : [],
    ),
  );
}

/**
 * JSON in the characters that every queue takes. SQS refuses a body with U+FFFE or U+FFFF, and some
 * readers stumble over characters beyond U+FFFF; as escapes they pass.
 */
function plainJson(message: QuarantineMessage): string {
  return JSON.stringify(message).replace(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16)}`,
  );
}
