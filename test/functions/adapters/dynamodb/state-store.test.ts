import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  type DynamoDBClient,
  type QueryCommandInput,
  type QueryCommandOutput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeDynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import type { OperatedStore } from '../../../../functions/control/ports.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { stateOf } from '../../../support/samples.ts';
import { scriptCalls, type Answer } from '../../../support/script-calls.ts';
import { spoilTable } from '../../../support/spoil-table.ts';
import { testAws } from '../../../support/test-aws.ts';

const FEED_ID = 'projects/p1/floorplans';
const LEASE = { partitions: [1], owner: 'run-1', until: 1_000 };
const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let client: DynamoDBClient;
let tableName: string;
let store: OperatedStore;

beforeEach(async () => {
  client = aws.freshClients().dynamodb;
  tableName = await aws.createTable();
  store = makeDynamoDbStore({ client, tableName, retry });
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

const statesOf = (count: number): EntityState[] =>
  Array.from({ length: count }, (_, i) => stateOf(String(i).padStart(4, '0')));

const keysOf = (states: readonly EntityState[]) => states.map(({ key }) => key);

describe('calls', () => {
  it('read strongly consistently', async () => {
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
    await store.loadLiveChildren(FEED_ID, 'floorplan#');
    expect(consistent).toEqual([true, true, true]);
  });
});

describe('unprocessed items', () => {
  it('fail with table and number when none is accepted any more', async () => {
    let calls = 0;
    onBatchWrite(async (input, proceed) => {
      calls += 1;
      const writes = writesIn(input);
      const accepted = calls === 1 ? writes.slice(0, 5) : [];
      if (accepted.length > 0) await proceed({ RequestItems: { [tableName]: accepted } });
      return { UnprocessedItems: { [tableName]: writes.slice(accepted.length) }, $metadata: {} };
    });
    const saved = store.saveStates(FEED_ID, statesOf(20));
    await expect(saved).rejects.toThrow(SitecastError);
    await expect(saved).rejects.toThrow(`Table ${tableName} left 15 of 20 items`);
    await expect(saved).rejects.toHaveProperty('hint', expect.stringContaining('quotas'));
    expect(calls).toBe(1 + retry.maxTries);
  });

  it('that cannot be read fail, and never seem absent', async () => {
    await store.saveStates(FEED_ID, statesOf(3));
    onBatchGet((input) => ({ UnprocessedKeys: input.RequestItems, $metadata: {} }));
    const loaded = store.loadStates(FEED_ID, keysOf(statesOf(3)));
    await expect(loaded).rejects.toThrow(`Table ${tableName} left 3 of 3 items`);
  });
});

describe('a throttled call', () => {
  it.each([
    ['a batch', () => store.saveStates(FEED_ID, statesOf(20))],
    ['a query', () => store.loadFeeds([0])],
    ['an update', () => store.takeLease(LEASE, 0)],
  ])('is made again while time remains: %s', async (_, call) => {
    let [throttles, leftMs] = [30, 60_000];
    const isThrottled = () => throttles-- > 0;
    const patient = { maxTries: Infinity, baseDelayMs: 1, maxDelayMs: 2, leftMs: () => leftMs };
    store = makeDynamoDbStore({ client, tableName, retry: patient });
    spoilTable(client, { isThrottled, isAnswerLost: () => false });
    await call();
    expect(throttles).toBe(-1);
    [throttles, leftMs] = [30, 0];
    await expect(call()).rejects.toThrow(/throttled|after all retries/);
    expect(throttles).toBe(29);
  });
});
