import { afterAll, beforeAll } from 'vitest';
import { DynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { startTestAws, type TestAws } from '../support/aws.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { describeStateStore } from './state-store.ts';

let aws: TestAws;

beforeAll(async () => {
  aws = await startTestAws();
});

afterAll(() => aws.close());

describeStateStore('MemoryStore', () => Promise.resolve(new MemoryStore()));

describeStateStore('DynamoDbStore', async () => {
  return new DynamoDbStore({
    client: aws.clients.dynamodb,
    tableName: await aws.createTable(),
    retry: { maxTries: 7, baseDelayMs: 1, maxDelayMs: 10 },
  });
});
