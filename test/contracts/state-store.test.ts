import { describe } from 'vitest';
import { makeDynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { spoilTable } from '../support/spoil-table.ts';
import { testAws } from '../support/test-aws.ts';
import { describeStateStore } from './state-store.ts';
import { describeFeeds } from './state-store/feeds.ts';
import { describeLease } from './state-store/lease.ts';
import { describeShard } from './state-store/shard.ts';

const aws = testAws();

describeStateStore('MemoryStore', () => Promise.resolve(new MemoryStore()));

describeStateStore('DynamoDbStore', async () => {
  return makeDynamoDbStore({
    client: aws.clients.dynamodb,
    tableName: await aws.createTable(),
    retry: { maxTries: 7, baseDelayMs: 1, maxDelayMs: 10 },
  });
});

describe('DynamoDbStore with a throttled table and lost answers, as a state store', () => {
  const open = async () => {
    const { dynamodb: client } = aws.freshClients();
    // The first try of each call, however the tries of several calls alternate.
    const tried = new Set<string>();
    const isThrottled = (input: object): boolean => {
      const call = JSON.stringify(input);
      return !tried.delete(call) && Boolean(tried.add(call));
    };
    spoilTable(client, { isThrottled, isAnswerLost: () => true });
    const retry = { maxTries: 20, baseDelayMs: 1, maxDelayMs: 10 };
    return makeDynamoDbStore({ client, tableName: await aws.createTable(), retry });
  };
  describeLease(open);
  describeFeeds(open);
  describeShard(open);
});
