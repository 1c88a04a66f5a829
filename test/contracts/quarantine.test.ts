import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { openQuarantine } from '../support/open-quarantine.ts';
import { testAws } from '../support/test-aws.ts';
import { describeQuarantine } from './quarantine.ts';

const aws = testAws();

describeQuarantine('MemoryQuarantine', () => Promise.resolve(new MemoryQuarantine()));

describeQuarantine('DynamoDB', async () =>
  openQuarantine(aws, { client: aws.clients.dynamodb, tableName: await aws.createTable() }),
);
