import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  paginateQuery,
  type DynamoDBClient,
  type QueryCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import PQueue from 'p-queue';
import {
  DEFAULT_RETRY,
  inParallel,
  packBatches,
  sendUntilDone,
  type RetryPolicy,
} from '../core/batches.ts';
import { CursorMoved, LeaseLost, SitecastError } from '../core/errors.ts';
import type { Feed } from '../core/feed.ts';
import type { EntityKey, Known } from '../core/known.ts';
import { whilePermitted, type Permit } from '../core/permit.ts';
import type { Lease, StateStore } from '../core/ports.ts';
import {
  feedIn,
  feedItem,
  feedsPk,
  knownIn,
  knownItem,
  knownKey,
  knownPk,
  leaseKey,
  number,
  text,
  type Item,
} from './dynamodb-store/items.ts';

/** Keys a BatchGetItem takes. */
const KEYS_PER_READ = 100;
/** Items a BatchWriteItem takes. */
const ITEMS_PER_WRITE = 25;

/** What a {@link DynamoDbStore} works with. */
export interface DynamoDbStoreOptions {
  /** Its own retries (throttles, 5xx, network) stay in charge of whole calls. */
  readonly client: DynamoDBClient;
  /** Table with the string keys `pk` (partition) and `sk` (sort). */
  readonly tableName: string;
  /** Calls in flight at most. Default 32, within the SDK's 50 sockets. */
  readonly concurrency?: number;
  /** For items and keys that a batch left unprocessed. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/**
 * Keeps feeds, known entities and leases in the one table that `dynamodb-store/items.ts` lays out. All
 * reads are strongly consistent. Errors of the SDK pass through, but for failed conditions.
 */
export class DynamoDbStore implements StateStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #retry: RetryPolicy;
  readonly #calls: PQueue;

  constructor(options: DynamoDbStoreOptions) {
    this.#client = options.client;
    this.#table = options.tableName;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#calls = new PQueue({ concurrency: options.concurrency ?? 32 });
  }

  async acquireLease(lease: Lease, now: number): Promise<boolean> {
    const put = new PutItemCommand({
      TableName: this.#table,
      Item: { ...leaseKey(lease), o: text(lease.owner), u: number(lease.until) },
      ConditionExpression: 'attribute_not_exists(pk) OR u < :now OR o = :owner',
      ExpressionAttributeValues: { ':now': number(now), ':owner': text(lease.owner) },
    });
    return conditionHolds(this.#client.send(put));
  }

  async renewLease(lease: Lease): Promise<void> {
    const update = new UpdateItemCommand({
      TableName: this.#table,
      Key: leaseKey(lease),
      UpdateExpression: 'SET u = :until',
      ConditionExpression: 'o = :owner',
      ExpressionAttributeValues: { ':until': number(lease.until), ':owner': text(lease.owner) },
    });
    if (await conditionHolds(this.#client.send(update))) return;
    throw new LeaseLost(`Run ${lease.owner} no longer holds the lease on shard ${lease.shard}.`, {
      hint: 'Another run took over and goes on from the last checkpoint; nothing needs to be done.',
    });
  }

  async releaseLease(lease: Lease): Promise<void> {
    const remove = new DeleteItemCommand({
      TableName: this.#table,
      Key: leaseKey(lease),
      ConditionExpression: 'o = :owner',
      ExpressionAttributeValues: { ':owner': text(lease.owner) },
    });
    await conditionHolds(this.#client.send(remove));
  }

  async loadFeeds(partitions: readonly number[]): Promise<Feed[]> {
    const items = await inParallel([...new Set(partitions)], this.#calls, (partition) =>
      this.#query({
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': text(feedsPk(partition)) },
      }),
    );
    return items.flat().map(feedIn);
  }

  async addFeeds(feeds: readonly Feed[]): Promise<void> {
    await inParallel(feeds, this.#calls, (feed) => {
      const put = new PutItemCommand({
        TableName: this.#table,
        Item: feedItem(feed),
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return conditionHolds(this.#client.send(put));
    });
  }

  async commitFeed(feed: Feed): Promise<Feed> {
    const next: Feed = { ...feed, revision: feed.revision + 1 };
    // Tells our own commit, repeated by the SDK after a lost answer, from another run's.
    const mark = text(randomBytes(6).toString('base64url'));
    const put = new PutItemCommand({
      TableName: this.#table,
      Item: { ...feedItem(next), w: mark },
      ConditionExpression: 'r = :revision OR w = :mark',
      ExpressionAttributeValues: { ':revision': number(feed.revision), ':mark': mark },
    });
    if (await conditionHolds(this.#client.send(put))) return next;
    throw new CursorMoved(
      `Feed ${feed.id} is no longer at revision ${feed.revision}: another run committed it, or it is gone.`,
      {
        hint: 'The next run goes on from what is stored. If it repeats, look for two pollers on one shard.',
      },
    );
  }

  async loadKnown(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, Known>> {
    const tableKeys = [...new Set(keys)].map((key) => knownKey(feedId, key));
    const batches = packBatches(tableKeys, { maxItems: KEYS_PER_READ });
    const items = await inParallel(batches, this.#calls, (batch) => this.#readBatch(batch));
    return new Map(
      items
        .flat()
        .map(knownIn)
        .map((known) => [known.key, known]),
    );
  }

  async loadKnownByPrefix(feedId: string, prefix: string): Promise<Known[]> {
    const items = await this.#query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': text(knownPk(feedId)), ':prefix': text(prefix) },
    });
    return items.map(knownIn);
  }

  async saveKnown(feedId: string, known: readonly Known[], permit?: Permit): Promise<void> {
    // A batch must not name a key twice; the last one given counts.
    const byKey = new Map(known.map((entity) => [entity.key, entity]));
    const batches = packBatches([...byKey.values()], { maxItems: ITEMS_PER_WRITE });
    await inParallel(batches, this.#calls, (batch) =>
      this.#writeBatch(
        batch.map((entity) => ({ PutRequest: { Item: knownItem(feedId, entity) } })),
        permit,
      ),
    );
  }

  async #readBatch(keys: readonly Item[]): Promise<Item[]> {
    const items: Item[] = [];
    await this.#untilProcessed(keys, async (left) => {
      const get = new BatchGetItemCommand({
        RequestItems: { [this.#table]: { Keys: [...left], ConsistentRead: true } },
      });
      const { Responses, UnprocessedKeys } = await this.#client.send(get);
      items.push(...(Responses?.[this.#table] ?? []));
      return UnprocessedKeys?.[this.#table]?.Keys ?? [];
    });
    return items;
  }

  async #writeBatch(writes: readonly WriteRequest[], permit: Permit | undefined): Promise<void> {
    await this.#untilProcessed(writes, async (left) => {
      const write = new BatchWriteItemCommand({ RequestItems: { [this.#table]: [...left] } });
      const { UnprocessedItems } = await whilePermitted(permit, (options) =>
        this.#client.send(write, options),
      );
      return UnprocessedItems?.[this.#table] ?? [];
    });
  }

  async #untilProcessed<T>(
    items: readonly T[],
    send: (left: readonly T[]) => Promise<T[]>,
  ): Promise<void> {
    const left = await sendUntilDone(items, send, this.#retry, { sleep, random: Math.random });
    if (left.length === 0) return;
    throw new SitecastError(
      `Table ${this.#table} left ${left.length} of ${items.length} items of a batch unprocessed, ${this.#retry.maxTries} times in a row.`,
      {
        hint: "The table is throttled; the next run reads the page again. If it lasts, look at the table's throttled requests and its on-demand limits.",
      },
    );
  }

  async #query(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
    const pages = paginateQuery(
      { client: this.#client },
      { ...input, TableName: this.#table, ConsistentRead: true },
    );
    const items: Item[] = [];
    for await (const page of pages) items.push(...(page.Items ?? []));
    return items;
  }
}

/** Waits for a conditional write. Other errors than the failed condition pass through. */
async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
