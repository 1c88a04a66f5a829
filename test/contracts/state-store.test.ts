import { describe } from 'vitest';
import { DynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { testAws } from '../support/test-aws.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { spoilTable } from '../support/spoil-table.ts';
import { describeStateStore } from './state-store.ts';
import { describeFeeds } from './state-store/feeds.ts';
import { describeLease } from './state-store/lease.ts';
import { describeShard } from './state-store/shard.ts';

const aws = testAws();

describeStateStore('MemoryStore', () => Promise.resolve(new MemoryStore()));

describeStateStore('DynamoDbStore', async () => {
  return new DynamoDbStore({
    client: aws.clients.dynamodb,
    tableName: await aws.createTable(),
    retry: { maxTries: 7, baseDelayMs: 1, maxDelayMs: 10 },
  });
});

describe('DynamoDbStore with a throttled table and lost answers, as a state store', () => {
  const open = async () => {
    const { dynamodb: client } = aws.freshClients();
    spoilTable(client, { isThrottled: () => calls++ % 2 === 0, isAnswerLost: () => true });
    const retry = { maxTries: 20, baseDelayMs: 1, maxDelayMs: 10 };
    return new DynamoDbStore({ client, tableName: await aws.createTable(), retry });
  };
  let calls = 0;
  describeLease(open);
  describeFeeds(open);
  describeShard(open);
});
