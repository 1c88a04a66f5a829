import { setImmediate } from 'node:timers/promises';
import {
  ScanCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  type DynamoDBClient,
  type QueryCommandInput,
  type QueryCommandOutput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { DynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import type { Item } from '../../../../functions/adapters/dynamodb/items.ts';
import { FeedConflictError, SitecastError } from '../../../../functions/core/model/errors.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { testAws } from '../../../support/test-aws.ts';
import { feedOf, knownOf } from '../../../support/samples.ts';
import { scriptCalls, type Answer } from '../../../support/script-calls.ts';

const FEED_ID = 'projects/p1/floorplans';
const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let client: DynamoDBClient;
let tableName: string;
let store: DynamoDbStore;

beforeEach(async () => {
  client = aws.freshClients().dynamodb;
  tableName = await aws.createTable();
  store = new DynamoDbStore({ client, tableName, retry });
});

const onBatchWrite = (
  answer: Answer<BatchWriteItemCommandInput, BatchWriteItemCommandOutput>,
): void => {
  scriptCalls(client, 'BatchWriteItemCommand', answer);
};

const onBatchGet = (answer: Answer<BatchGetItemCommandInput, BatchGetItemCommandOutput>): void => {
  scriptCalls(client, 'BatchGetItemCommand', answer);
};

const writesIn = (input: BatchWriteItemCommandInput): WriteRequest[] =>
  input.RequestItems?.[tableName] ?? [];

const keysIn = (input: BatchGetItemCommandInput): (string | undefined)[] =>
  input.RequestItems?.[tableName]?.Keys?.map(({ sk }) => sk?.S) ?? [];

const many = (count: number): EntityState[] =>
  Array.from({ length: count }, (_, i) => knownOf(String(i).padStart(4, '0')));

async function itemsInTable(): Promise<Item[]> {
  const { Items = [] } = await aws.clients.dynamodb.send(new ScanCommand({ TableName: tableName }));
  return Items;
}

describe('calls', () => {
  test('everything is read strongly consistent', async () => {
    const consistent: unknown[] = [];
    onBatchGet((input, proceed) => {
      consistent.push(input.RequestItems?.[tableName]?.ConsistentRead);
      return proceed(input);
    });
    scriptCalls<QueryCommandInput, QueryCommandOutput>(client, 'QueryCommand', (input, proceed) => {
      consistent.push(input.ConsistentRead);
      return proceed(input);
    });
    await store.loadFeeds([0]);
    await store.loadStates(FEED_ID, ['floorplan#a']);
    await store.loadChildStates(FEED_ID, 'floorplan#');
    expect(consistent).toEqual([true, true, true]);
  });

  test('a page of 1,000 entities takes 10 reads and 40 writes', async () => {
    const sizes: number[] = [];
    onBatchGet((input, proceed) => {
      sizes.push(keysIn(input).length);
      return proceed(input);
    });
    onBatchWrite((input, proceed) => {
      sizes.push(writesIn(input).length);
      return proceed(input);
    });
    const known = many(1_000);
    await store.loadStates(
      FEED_ID,
      known.map(({ key }) => key),
    );
    await store.saveStates(FEED_ID, known);
    expect(sizes).toEqual([...Array<number>(10).fill(100), ...Array<number>(40).fill(25)]);
  });

  test('calls are made side by side, but not more than the limit', async () => {
    store = new DynamoDbStore({ client, tableName, retry, concurrency: 4 });
    let inFlight = 0;
    let most = 0;
    onBatchWrite(async (input, proceed) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      const output = await proceed(input);
      inFlight -= 1;
      return output;
    });
    await store.saveStates(FEED_ID, many(500));
    expect(most).toBe(4);
  });

  test('after a failed write no further is begun, and those under way have ended when it is told', async () => {
    store = new DynamoDbStore({ client, tableName, retry, concurrency: 2 });
    let begun = 0;
    let ended = 0;
    onBatchWrite(async (input, proceed) => {
      begun += 1;
      if (begun === 1) throw new Error('the connection broke');
      const output = await proceed(input);
      ended += 1;
      return output;
    });
    await expect(store.saveStates(FEED_ID, many(500))).rejects.toThrow('the connection broke');
    expect({ begun, ended }).toEqual({ begun: 2, ended: 1 });
    await setImmediate();
    expect(begun).toBe(2);
  });

  test('an error of the table passes through', async () => {
    store = new DynamoDbStore({ client, tableName: 'no-such-table', retry });
    await expect(store.loadFeeds([0])).rejects.toThrow(
      expect.objectContaining({ name: 'ResourceNotFoundException' }),
    );
    await expect(store.commitFeed(feedOf({ projectId: 'p1' }))).rejects.toThrow(
      expect.objectContaining({ name: 'ResourceNotFoundException' }),
    );
  });
});

describe('unprocessed items', () => {
  test('are written again, those alone, until none is left', async () => {
    const sent: number[] = [];
    onBatchWrite(async (input, proceed) => {
      const writes = writesIn(input);
      sent.push(writes.length);
      const accepted = writes.slice(0, Math.ceil(writes.length / 2));
      const output = await proceed({ RequestItems: { [tableName]: accepted } });
      const left = writes.slice(accepted.length);
      return { ...output, UnprocessedItems: left.length > 0 ? { [tableName]: left } : {} };
    });
    await store.saveStates(FEED_ID, many(20));
    expect(sent).toEqual([20, 10, 5, 2, 1]);
    expect(await itemsInTable()).toHaveLength(20);
  });

  test('end in an error naming table, number and tries when nothing is accepted any more', async () => {
    let calls = 0;
    onBatchWrite(async (input, proceed) => {
      calls += 1;
      const writes = writesIn(input);
      const accepted = calls === 1 ? writes.slice(0, 5) : [];
      if (accepted.length > 0) await proceed({ RequestItems: { [tableName]: accepted } });
      return { UnprocessedItems: { [tableName]: writes.slice(accepted.length) }, $metadata: {} };
    });
    const saved = store.saveStates(FEED_ID, many(20));
    await expect(saved).rejects.toThrow(SitecastError);
    await expect(saved).rejects.toThrow(`Table ${tableName} left 15 of 20 items`);
    await expect(saved).rejects.toThrow('3 times in a row');
    await expect(saved).rejects.toHaveProperty('hint', expect.stringContaining('throttled'));
    expect(calls).toBe(1 + retry.maxTries);
  });

  test('are read again, those alone, until none is left', async () => {
    await store.saveStates(FEED_ID, many(30));
    const asked: number[] = [];
    onBatchGet(async (input, proceed) => {
      const keys = input.RequestItems?.[tableName]?.Keys ?? [];
      asked.push(keys.length);
      if (asked.length === 2) return { UnprocessedKeys: input.RequestItems, $metadata: {} };
      const output = await proceed({ RequestItems: { [tableName]: { Keys: keys.slice(0, 12) } } });
      const left = keys.slice(12);
      return { ...output, UnprocessedKeys: left.length > 0 ? { [tableName]: { Keys: left } } : {} };
    });
    const found = await store.loadStates(
      FEED_ID,
      many(30).map(({ key }) => key),
    );
    expect(asked).toEqual([30, 18, 18, 6]);
    expect(found.size).toBe(30);
  });

  test('that cannot be read end in an error, never in an entity that seems unknown', async () => {
    await store.saveStates(FEED_ID, many(3));
    onBatchGet((input) => ({ UnprocessedKeys: input.RequestItems, $metadata: {} }));
    const loaded = store.loadStates(
      FEED_ID,
      many(3).map(({ key }) => key),
    );
    await expect(loaded).rejects.toThrow(`Table ${tableName} left 3 of 3 items`);
  });
});

describe('a commit whose answer is lost', () => {
  /** Lets puts reach the table; breaks the connection before the answers of the first ones. */
  function loseAnswers(count: number): { sent: number } {
    const calls = { sent: 0 };
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args);
        if (context.commandName !== 'PutItemCommand') return answer;
        calls.sent += 1;
        if (calls.sent > count) return answer;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
      },
      // Closer to the wire than the SDK's own retries.
      { step: 'deserialize' },
    );
    return calls;
  }

  test('is known as our own when the SDK repeats it', async () => {
    const feed = feedOf({ projectId: 'p1' });
    await store.addFeeds([feed]);
    const calls = loseAnswers(1);
    expect(await store.commitFeed(feed)).toEqual({ ...feed, revision: 1 });
    expect(calls.sent).toBe(2);
  });

  test('is not taken for ours when another run committed since', async () => {
    const feed = feedOf({ projectId: 'p1' });
    await store.addFeeds([feed]);
    const other = new DynamoDbStore({ client: aws.clients.dynamodb, tableName });
    await other.commitFeed(feed);
    const calls = loseAnswers(0);
    await expect(store.commitFeed(feed)).rejects.toThrow(FeedConflictError);
    expect(calls.sent).toBe(1);
  });
});
