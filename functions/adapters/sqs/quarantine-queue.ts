import { gunzipSync } from 'node:zlib';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { SitecastError } from '../../core/model/errors.ts';
import { parseJson } from '../../core/model/json/json.ts';
import type { QuarantineQueue, QueuedItem, Received } from '../../core/ports/quarantine-queue.ts';
import type { QuarantinedItem } from '../../core/ports/quarantine.ts';
import { packBatches } from '../shared/batches.ts';
import type { QuarantineMessage } from './quarantine.ts';

/** Messages that one call takes. */
const MESSAGES_PER_CALL = 10;
/** Longer than the control function has time. */
const HIDDEN_SECONDS = 120;
/** A call that waits asks all servers of the queue: if its answer is empty, the queue is. */
const WAIT_SECONDS = 1;
/** Messages, and characters of them, that are held in memory. */
const MAX_MESSAGES = 2_000;
const MAX_CHARACTERS = 100_000_000;

/** JSON of an event begins with it, see `makeEvent`. */
const EVENT_START = '{"specversion":';

export interface QuarantineQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Reads a text at an address. */
  readonly readCopy: (address: string) => Promise<string>;
  /** Messages that are received at most. Default 2,000. */
  readonly maxMessages?: number;
}

/** Reads the queue that `SqsQuarantine` fills. Errors of the SDK pass through. */
export class SqsQuarantineQueue implements QuarantineQueue {
  readonly #options: QuarantineQueueOptions;

  constructor(options: QuarantineQueueOptions) {
    this.#options = options;
  }

  async receive(): Promise<Received> {
    const { maxMessages = MAX_MESSAGES } = this.#options;
    const hiddenCount = await this.#countHidden();
    const messages = new Map<string, Message>();
    let characters = 0;
    let isComplete = false;
    try {
      while (!isComplete && messages.size < maxMessages && characters < MAX_CHARACTERS) {
        const received = await this.#receive();
        for (const message of received) messages.set(message.MessageId ?? '', message);
        characters += received.reduce((sum, { Body = '' }) => sum + Body.length, 0);
        isComplete = received.length === 0;
      }
      return { items: itemsIn([...messages.values()]), isComplete, hiddenCount };
    } catch (error) {
      // The next command shall find them at once.
      const receipts = [...messages.values()].flatMap(({ ReceiptHandle }) => ReceiptHandle ?? []);
      await this.release(receipts).catch(() => undefined);
      throw error;
    }
  }

  async release(receipts: readonly string[]): Promise<void> {
    const { client, queueUrl: QueueUrl } = this.#options;
    for (const batch of packBatches(receipts, { maxItems: MESSAGES_PER_CALL })) {
      const Entries = entriesOf(batch).map((entry) => ({ ...entry, VisibilityTimeout: 0 }));
      // One that is not given back comes back on its own.
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    }
  }

  async delete(receipts: readonly string[]): Promise<void> {
    const { client, queueUrl: QueueUrl } = this.#options;
    for (const batch of packBatches(receipts, { maxItems: MESSAGES_PER_CALL })) {
      const Entries = entriesOf(batch);
      const { Failed = [] } = await client.send(
        new DeleteMessageBatchCommand({ QueueUrl, Entries }),
      );
      const [first] = Failed;
      if (first === undefined) continue;
      throw new SitecastError(
        `Queue ${QueueUrl} did not delete ${Failed.length} messages: ${first.Code ?? ''} ${first.Message ?? ''}`,
        { hint: 'They come back in two minutes. Repeat the command then.' },
      );
    }
  }

  async readCopy(address: string): Promise<QuarantinedItem> {
    return parseJson(await this.#options.readCopy(address)) as QuarantinedItem;
  }

  async #receive(): Promise<readonly Message[]> {
    const { client, queueUrl: QueueUrl } = this.#options;
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MESSAGES_PER_CALL,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    return Messages;
  }

  async #countHidden(): Promise<number> {
    const { client, queueUrl: QueueUrl } = this.#options;
    const name = 'ApproximateNumberOfMessagesNotVisible';
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
    );
    return Number(Attributes?.[name] ?? 0);
  }
}

const entriesOf = (receipts: readonly string[]) =>
  receipts.map((ReceiptHandle, id) => ({ Id: String(id), ReceiptHandle }));

/** The items of messages, each once. */
function itemsIn(messages: readonly Message[]): QueuedItem[] {
  const byId = Map.groupBy(messages.map(readItem), ({ id }) => id);
  const items = [...byId.values()].flatMap((same) => {
    const [first] = same.toSorted((a, b) => a.quarantinedAt - b.quarantinedAt);
    return first ? [{ ...first, receipts: same.flatMap(({ receipts }) => receipts) }] : [];
  });
  return items.sort((a, b) => a.quarantinedAt - b.quarantinedAt);
}

/** A message that somebody else has sent is an item, too: it is shown, and can be dropped. */
function readItem(message: Message): QueuedItem {
  try {
    return itemIn(message);
  } catch {
    const { Body = '', MessageId = '', ReceiptHandle = '', Attributes } = message;
    const origin = { feed: '', reason: 'The message is no item of Sitecast.' };
    return {
      ...{ ...origin, id: MessageId, kind: 'entity', copy: '' },
      quarantinedAt: Number(Attributes?.SentTimestamp ?? 0),
      read: () => ({ ...origin, value: Body }),
      receipts: [ReceiptHandle],
    };
  }
}

/** @throws Error of any kind for a message of another form. */
function itemIn({ Body = '', ReceiptHandle = '', Attributes }: Message): QueuedItem {
  const message = parseJson(Body) as QuarantineMessage;
  const { feed, cursor, reason, copy } = message;
  if ([feed, reason, copy].some((each) => typeof each !== 'string')) throw new TypeError('no item');
  const origin = { feed, ...(cursor !== undefined && { cursor }), reason };
  const isOmitted = 'valueOmitted' in message;
  return {
    ...origin,
    id: /([0-9a-f]+)\.json$/.exec(copy)?.[1] ?? copy,
    kind: isEvent(message) ? 'event' : 'entity',
    quarantinedAt: Number(Attributes?.SentTimestamp ?? 0),
    copy,
    // Parsed again, so that only its text is held.
    ...(!isOmitted && { read: () => ({ ...origin, value: valueIn(Body) }) }),
    receipts: [ReceiptHandle],
  };
}

function valueIn(body: string): unknown {
  const message = parseJson(body) as QuarantineMessage & { readonly value: unknown };
  return isCompressed(message) ? parseJson(textOf(message)) : message.value;
}

function isEvent(message: QuarantineMessage): boolean {
  if ('valueOmitted' in message) return 'type' in message.identity && 'subject' in message.identity;
  if (isCompressed(message)) return textOf(message).startsWith(EVENT_START);
  return JSON.stringify(message.value)?.startsWith(EVENT_START) ?? false;
}

interface Compressed {
  readonly valueEncoding: 'gzip+base64';
  readonly value: string;
}

function isCompressed(message: object): message is Compressed {
  return 'valueEncoding' in message;
}

function textOf({ value }: Compressed): string {
  return gunzipSync(Buffer.from(value, 'base64')).toString();
}
