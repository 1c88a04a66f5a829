import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  UpdateItemCommand,
  type DynamoDBClient,
  type UpdateItemCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import PQueue from 'p-queue';
import { SitecastError } from '../../core/model/errors.ts';
import { inParallel, packBatches, sendUntilDone } from '../shared/batches.ts';
import { isThrottled } from '../shared/is-throttled.ts';
import { DEFAULT_RETRY, retry, type RetryPolicy } from '../shared/retry.ts';
import { ifConditionHolds, markedPut, type Condition } from './condition.ts';
import { text, type Item } from './items.ts';

/** Keys a BatchGetItem takes. */
const KEYS_PER_READ = 100;
/** Items a BatchWriteItem takes. */
const ITEMS_PER_WRITE = 25;

export interface TableOptions {
  /** Its own retries cover 5xx and network errors, and the first throttles: all calls share their quota. */
  readonly client: DynamoDBClient;
  /** Table with the string keys `pk` (partition) and `sk` (sort). */
  readonly tableName: string;
  /** Maximum calls in flight. Default 32, within the SDK's 50 sockets. */
  readonly concurrency?: number;
  /** For throttled calls, and items that a batch left unprocessed. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/** Selects the items of a partition, or those whose sort key starts with `prefix`. */
export interface Query {
  readonly pk: string;
  readonly prefix?: string;
  /** Returns only items that match. The others are read, and billed, all the same. */
  readonly filter?: string;
  /** Returns only these attributes. */
  readonly attributes?: readonly string[];
  /** Default true. */
  readonly isConsistent?: boolean;
  /** Returns the items with the largest sort keys first. */
  readonly isDescending?: boolean;
}

/**
 * The calls of DynamoDB on one table.
 *
 * - A throttled call had no effect. It is repeated with back-off, as the retry policy allows.
 * - Conditional writes say when their condition failed; other errors of the SDK pass through.
 * - The error of a table that does not exist names the table; that of the SDK does not.
 * - Reads are strongly consistent unless a query says otherwise.
 */
export class Table {
  readonly name: string;
  readonly #client: DynamoDBClient;
  readonly #retry: RetryPolicy;
  readonly #calls: PQueue;

  constructor(options: TableOptions) {
    this.name = options.tableName;
    this.#client = options.client;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#calls = new PQueue({ concurrency: options.concurrency ?? 32 });
  }

  /** Calls `call` for each item, with at most `concurrency` calls in flight on this table. */
  forEach<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
    return inParallel(items, this.#calls, call);
  }

  /** @returns false when the condition failed. */
  async put(item: Item, condition?: Condition): Promise<boolean> {
    const input = condition === undefined ? { Item: item } : markedPut(item, condition);
    const put = new PutItemCommand({ TableName: this.name, ...input });
    const sent = this.#call(() => this.#client.send(put));
    return (await ifConditionHolds(sent)) !== undefined;
  }

  /**
   * The condition must also hold after the update: the SDK repeats a call whose answer was lost.
   *
   * @returns the item after the update; undefined when the condition failed.
   */
  update(
    key: Item,
    update: Condition &
      Pick<UpdateItemCommandInput, 'UpdateExpression' | 'ExpressionAttributeNames'>,
  ): Promise<Item | undefined> {
    const command = new UpdateItemCommand({
      TableName: this.name,
      Key: key,
      ReturnValues: 'ALL_NEW',
      ...update,
    });
    const sent = this.#call(() => this.#client.send(command));
    return ifConditionHolds(sent.then(({ Attributes = {} }) => Attributes));
  }

  /** Reads the items a query finds, in the order of their sort keys. */
  async query(query: Query): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages(query)) items.push(...page);
    return items;
  }

  /** Reads the items a query finds page by page. */
  async *pages(query: Query): AsyncGenerator<Item[]> {
    let after: Item | undefined;
    do {
      const page = await this.page(query, after);
      yield page.items;
      after = page.last;
    } while (after !== undefined);
  }

  /** Reads as many items as one answer holds. @returns also the key of the last one, unless it is the end. */
  async page(query: Query, after?: Item): Promise<{ items: Item[]; last: Item | undefined }> {
    const { pk, prefix, filter, attributes, isConsistent = true, isDescending } = query;
    const hasPrefix = prefix !== undefined;
    const input = {
      TableName: this.name,
      KeyConditionExpression: hasPrefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
      ExpressionAttributeValues: { ':pk': text(pk), ...(hasPrefix && { ':prefix': text(prefix) }) },
      ConsistentRead: isConsistent,
      ...(isDescending && { ScanIndexForward: false }),
      ...(filter !== undefined && { FilterExpression: filter }),
      ...(attributes && { ProjectionExpression: attributes.join() }),
    };
    const page = new QueryCommand({ ...input, ExclusiveStartKey: after });
    const { Items = [], LastEvaluatedKey } = await this.#call(() => this.#client.send(page));
    return { items: Items, last: LastEvaluatedKey };
  }

  /** Reads the items under these keys, or some of their attributes; absent items are left out. */
  async get(keys: readonly Item[], attributes?: readonly string[]): Promise<Item[]> {
    const batches = packBatches(keys, { maxItems: KEYS_PER_READ });
    return (await this.forEach(batches, (batch) => this.#getBatch(batch, attributes))).flat();
  }

  /**
   * Writes in batches, without conditions.
   *
   * @param toWrite called only when a batch is sent, so that encoded items do not pile up.
   */
  async write<T>(values: readonly T[], toWrite: (value: T) => WriteRequest): Promise<void> {
    const batches = packBatches(values, { maxItems: ITEMS_PER_WRITE });
    await this.forEach(batches, (batch) =>
      this.#untilProcessed(batch.map(toWrite), async (remaining) => {
        const write = new BatchWriteItemCommand({ RequestItems: { [this.name]: [...remaining] } });
        const { UnprocessedItems } = await this.#client.send(write);
        return UnprocessedItems?.[this.name] ?? [];
      }),
    );
  }

  /** Deletes items, of which only the keys count, in batches. */
  deleteAll(items: readonly Item[]): Promise<void> {
    const toDelete = ({ pk, sk }: Item) => ({ DeleteRequest: { Key: { pk, sk } as Item } });
    return this.write(items, toDelete);
  }

  async #getBatch(keys: readonly Item[], attributes?: readonly string[]): Promise<Item[]> {
    const items: Item[] = [];
    await this.#untilProcessed(keys, async (remaining) => {
      const request = {
        Keys: [...remaining],
        ConsistentRead: true,
        ...(attributes && { ProjectionExpression: attributes.join() }),
      };
      const get = new BatchGetItemCommand({ RequestItems: { [this.name]: request } });
      const { Responses, UnprocessedKeys } = await this.#client.send(get);
      items.push(...(Responses?.[this.name] ?? []));
      return UnprocessedKeys?.[this.name]?.Keys ?? [];
    });
    return items;
  }

  /** Makes a call, and repeats it while the table throttles it. */
  async #call<R>(call: () => Promise<R>): Promise<R> {
    try {
      return await retry(call, { ...this.#retry, isRetryable: isThrottled });
    } catch (error) {
      throw this.#named(error);
    }
  }

  #named(error: unknown): unknown {
    if (!(error instanceof ResourceNotFoundException)) return error;
    return Object.assign(error, {
      message: `There is no table ${this.name}`,
      hint: 'Restore the table from its backup, or correct existingTableArn.',
    });
  }

  async #untilProcessed<T>(
    items: readonly T[],
    send: (remaining: readonly T[]) => Promise<T[]>,
  ): Promise<void> {
    const sendOrKeep = async (remaining: readonly T[]): Promise<readonly T[]> => {
      try {
        return await send(remaining);
      } catch (error) {
        // DynamoDB throws if it throttles every item of a batch.
        if (isThrottled(error)) return remaining;
        throw this.#named(error);
      }
    };
    const remaining = await sendUntilDone(items, sendOrKeep, this.#retry);
    if (remaining.length === 0) return;
    throw new SitecastError(
      `Table ${this.name} left ${remaining.length} of ${items.length} items unprocessed after all retries.`,
      {
        hint: "The table is throttled. The next run continues. If it repeats, check the table's limits.",
      },
    );
  }
}
