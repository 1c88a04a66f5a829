import { DynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { testAws } from '../support/test-aws.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { describeStateStore } from './state-store.ts';

const aws = testAws();

describeStateStore('MemoryStore', () => Promise.resolve(new MemoryStore()));

describeStateStore('DynamoDbStore', async () => {
  return new DynamoDbStore({
    client: aws.clients.dynamodb,
    tableName: await aws.createTable(),
    retry: { maxTries: 7, baseDelayMs: 1, maxDelayMs: 10 },
  });
});
