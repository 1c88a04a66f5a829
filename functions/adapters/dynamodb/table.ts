import { randomBytes } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  UpdateItemCommand,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import PQueue from 'p-queue';
import { chunksOf } from '../../core/model/chunks.ts';
import { SitecastError } from '../../core/model/errors.ts';
import { isThrottled } from '../shared/aws-errors.ts';
import { inParallel, sendUntilDone } from '../shared/batches.ts';
import { DEFAULT_RETRY, retry, type RetryPolicy } from '../shared/retry.ts';
import { fromItem, toItem, type Item, type Row } from './attributes.ts';
import type { Condition, Query } from './expressions.ts';
import type { Key } from './keys.ts';

/** Keys a BatchGetItem takes. */
const KEYS_PER_READ = 100;
/** Items a BatchWriteItem takes. */
const ITEMS_PER_WRITE = 25;

export interface TableOptions {
  /** Its own retries cover 5xx, network errors and the first throttles: all share their quota. */
  readonly client: DynamoDBClient;
  /** Table with the string keys `pk` (partition) and `sk` (sort). */
  readonly tableName: string;
  /** Maximum calls in flight. Default 32, within the SDK's 50 sockets. */
  readonly concurrency?: number;
  /**
   * For throttled calls, and items that a batch left unprocessed. Default {@link DEFAULT_RETRY}.
   */
  readonly retry?: RetryPolicy;
}

/**
 * The calls of DynamoDB on one table, with rows of plain values.
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

  /**
   * Writes a row. The SDK repeats a call whose answer was lost: by its `mark` the repeat of a
   * conditional put recognises its own item.
   *
   * @returns false when the condition failed.
   */
  async put(row: Row, condition?: Condition): Promise<boolean> {
    const mark = randomBytes(3).toString('base64url');
    const put = new PutItemCommand({
      TableName: this.name,
      Item: toItem(condition ? { ...row, mark } : row),
      ...(condition && {
        ConditionExpression: `(${condition.if}) OR mark = :mark`,
        ExpressionAttributeValues: toItem({ ...condition.values, ':mark': mark }),
      }),
    });
    return (await this.#ifConditionHolds(() => this.#client.send(put))) !== undefined;
  }

  /**
   * Changes a row. The condition must also hold after the update: the SDK repeats a call whose
   * answer was lost.
   *
   * @returns the row after the update; undefined when the condition failed.
   */
  async update(
    key: Key,
    { update, if: condition, values, names }: Condition & { readonly update: string },
  ): Promise<Row | undefined> {
    const command = new UpdateItemCommand({
      TableName: this.name,
      Key: toItem(key),
      ReturnValues: 'ALL_NEW',
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeValues: values && toItem(values),
      ExpressionAttributeNames: names,
    });
    const updated = await this.#ifConditionHolds(() => this.#client.send(command));
    return updated && fromItem(updated.Attributes ?? {});
  }

  /** Reads the rows a query finds, in the order of their sort keys. */
  async query(query: Query): Promise<Row[]> {
    return (await Array.fromAsync(this.pages(query))).flat();
  }

  /** Reads the rows a query finds page by page. */
  async *pages(query: Query): AsyncGenerator<Row[]> {
    let after: Key | undefined;
    do {
      const page = await this.page(query, after);
      yield page.rows;
      after = page.last;
    } while (after !== undefined);
  }

  /** Reads as many rows as one answer holds. @returns also the last key, unless it is the end. */
  async page(query: Query, after?: Key): Promise<{ rows: Row[]; last: Key | undefined }> {
    const { pk, prefix, filter, attributes, isConsistent = true, isDescending } = query;
    const command = new QueryCommand({
      TableName: this.name,
      KeyConditionExpression:
        prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: toItem({ ':pk': pk, ':prefix': prefix }),
      ConsistentRead: isConsistent,
      ...(isDescending && { ScanIndexForward: false }),
      FilterExpression: filter,
      ProjectionExpression: attributes?.join(),
      ExclusiveStartKey: after && toItem(after),
    });
    const { Items = [], LastEvaluatedKey: last } = await this.#call(() =>
      this.#client.send(command),
    );
    return { rows: Items.map(fromItem), last: last && (fromItem(last) as Key) };
  }

  /** Reads the rows under these keys, or some of their attributes; absent ones are left out. */
  async get(keys: readonly Key[], attributes?: readonly string[]): Promise<Row[]> {
    const batches = [...chunksOf(keys, KEYS_PER_READ)];
    return (await this.forEach(batches, (batch) => this.#getBatch(batch, attributes))).flat();
  }

  /**
   * Writes rows in batches, without conditions.
   *
   * @param toRow called only when a batch is sent, so that encoded items do not pile up.
   */
  putAll<T>(values: readonly T[], toRow: (value: T) => Row): Promise<void> {
    return this.#write(values, (value) => ({ PutRequest: { Item: toItem(toRow(value)) } }));
  }

  /** Deletes rows in batches. */
  deleteAll(keys: readonly Key[]): Promise<void> {
    return this.#write(keys, (key) => ({ DeleteRequest: { Key: toItem(key) } }));
  }

  async #write<T>(values: readonly T[], toWrite: (value: T) => WriteRequest): Promise<void> {
    const batches = [...chunksOf(values, ITEMS_PER_WRITE)];
    await this.forEach(batches, (batch) =>
      this.#untilProcessed(batch.map(toWrite), async (remaining) => {
        const write = new BatchWriteItemCommand({ RequestItems: { [this.name]: [...remaining] } });
        const { UnprocessedItems } = await this.#client.send(write);
        return UnprocessedItems?.[this.name] ?? [];
      }),
    );
  }

  async #getBatch(keys: readonly Key[], attributes?: readonly string[]): Promise<Row[]> {
    const items: Item[] = [];
    await this.#untilProcessed(keys.map(toItem), async (remaining) => {
      const request = {
        Keys: [...remaining],
        ConsistentRead: true,
        ProjectionExpression: attributes?.join(),
      };
      const get = new BatchGetItemCommand({ RequestItems: { [this.name]: request } });
      const { Responses, UnprocessedKeys } = await this.#client.send(get);
      items.push(...(Responses?.[this.name] ?? []));
      return UnprocessedKeys?.[this.name]?.Keys ?? [];
    });
    return items.map(fromItem);
  }

  /** @returns undefined when the condition of the write failed. */
  async #ifConditionHolds<R>(write: () => Promise<R>): Promise<R | undefined> {
    try {
      return await this.#call(write);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
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
      `Table ${this.name} left ${remaining.length} of ${items.length} items unprocessed ` +
        'after all retries.',
      { hint: 'Check the quotas of the table if it repeats.' },
    );
  }
}
