import { randomBytes } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  paginateQuery,
  type DynamoDBClient,
  type QueryCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import PQueue from 'p-queue';
import { inParallel, packBatches, sendUntilDone } from '../shared/batches.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../shared/retry.ts';
import { FeedConflictError, LeaseLostError, SitecastError } from '../../core/model/errors.ts';
import type { Feed } from '../../core/model/feed.ts';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { whileHeld } from '../shared/while-held.ts';
import { conditionHolds } from './conditional-write.ts';
import {
  feedIn,
  feedItem,
  feedsPk,
  isFeed,
  isPollHistoryOf,
  stateIn,
  stateItem,
  stateKey,
  statesPk,
  leaseKey,
  number,
  pollHistoryKey,
  text,
  type Item,
} from './items.ts';
import { joinParts, pollHistoryParts } from './poll-history-record.ts';
import { type LeaseGuard } from '../../core/ports/lease-guard.ts';
import { type Lease, type ShardView, type StateStore } from '../../core/ports/state-store.ts';

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
 * reads but {@link loadShard} are strongly consistent. Errors of the SDK pass through, but for failed conditions.
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
      Item: { ...leaseKey(lease), o: text(lease.owner), u: number(lease.expiresAt) },
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
      ExpressionAttributeValues: { ':until': number(lease.expiresAt), ':owner': text(lease.owner) },
    });
    if (await conditionHolds(this.#client.send(update))) return;
    throw new LeaseLostError(
      `Run ${lease.owner} no longer holds the lease on shard ${lease.shard}.`,
      {
        hint: 'Another run took over and goes on from the last checkpoint; nothing needs to be done.',
      },
    );
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

  async loadShard(partitions: readonly number[]): Promise<ShardView> {
    const items = await this.#itemsOf(partitions, false);
    const plan = joinParts(items.filter((item) => isPollHistoryOf(partitions, item)));
    return { feeds: items.filter(isFeed).map(feedIn), ...(plan && { plan }) };
  }

  async savePollHistory(partitions: readonly number[], packed: Uint8Array): Promise<void> {
    await inParallel([...pollHistoryParts(packed).entries()], this.#calls, ([n, part]) => {
      const Item = { ...pollHistoryKey(partitions, n), ...part };
      return this.#client.send(new PutItemCommand({ TableName: this.#table, Item }));
    });
  }

  async loadFeeds(partitions: readonly number[]): Promise<Feed[]> {
    const items = await this.#itemsOf(partitions, true);
    return items.filter(isFeed).map(feedIn);
  }

  async addFeeds(feeds: readonly Feed[]): Promise<readonly string[]> {
    const there = await inParallel(feeds, this.#calls, async (feed) => {
      const put = new PutItemCommand({
        TableName: this.#table,
        Item: feedItem(feed),
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return (await conditionHolds(this.#client.send(put))) ? [] : [feed.id];
    });
    return there.flat();
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
    throw new FeedConflictError(
      `Feed ${feed.id} is no longer at revision ${feed.revision}: another run committed it, or it is gone.`,
      {
        hint: 'The next run goes on from what is stored. If it repeats, look for two pollers on one shard.',
      },
    );
  }

  async loadStates(
    feedId: string,
    keys: readonly EntityKey[],
  ): Promise<Map<EntityKey, EntityState>> {
    const tableKeys = [...new Set(keys)].map((key) => stateKey(feedId, key));
    const batches = packBatches(tableKeys, { maxItems: KEYS_PER_READ });
    const items = await inParallel(batches, this.#calls, (batch) => this.#readBatch(batch));
    return new Map(
      items
        .flat()
        .map(stateIn)
        .map((known) => [known.key, known]),
    );
  }

  async loadChildStates(feedId: string, prefix: string): Promise<EntityState[]> {
    const items = await this.#query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': text(statesPk(feedId)), ':prefix': text(prefix) },
    });
    return items.map(stateIn);
  }

  async saveStates(
    feedId: string,
    known: readonly EntityState[],
    guard?: LeaseGuard,
  ): Promise<void> {
    // A batch must not name a key twice; the last one given counts.
    const byKey = new Map(known.map((entity) => [entity.key, entity]));
    const batches = packBatches([...byKey.values()], { maxItems: ITEMS_PER_WRITE });
    await inParallel(batches, this.#calls, (batch) =>
      this.#writeBatch(
        batch.map((entity) => ({ PutRequest: { Item: stateItem(feedId, entity) } })),
        guard,
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

  async #writeBatch(writes: readonly WriteRequest[], guard: LeaseGuard | undefined): Promise<void> {
    await this.#untilProcessed(writes, async (left) => {
      const write = new BatchWriteItemCommand({ RequestItems: { [this.#table]: [...left] } });
      const { UnprocessedItems } = await whileHeld(guard, (options) =>
        this.#client.send(write, options),
      );
      return UnprocessedItems?.[this.#table] ?? [];
    });
  }

  async #untilProcessed<T>(
    items: readonly T[],
    send: (left: readonly T[]) => Promise<T[]>,
  ): Promise<void> {
    const left = await sendUntilDone(items, send, this.#retry);
    if (left.length === 0) return;
    throw new SitecastError(
      `Table ${this.#table} left ${left.length} of ${items.length} items of a batch unprocessed, ${this.#retry.maxTries} times in a row.`,
      {
        hint: "The table is throttled; the next run reads the page again. If it lasts, look at the table's throttled requests and its on-demand limits.",
      },
    );
  }

  /** Items of partitions of feeds, those of one partition in the order of their sort keys. */
  async #itemsOf(partitions: readonly number[], ConsistentRead: boolean): Promise<Item[]> {
    const items = await inParallel([...new Set(partitions)], this.#calls, (partition) =>
      this.#query({
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': text(feedsPk(partition)) },
        ConsistentRead,
      }),
    );
    return items.flat();
  }

  async #query(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
    const pages = paginateQuery(
      { client: this.#client },
      { ConsistentRead: true, ...input, TableName: this.#table },
    );
    const items: Item[] = [];
    for await (const page of pages) items.push(...(page.Items ?? []));
    return items;
  }
}
