import { afterAll, beforeAll } from 'vitest';
import { SqsQuarantine } from '../../functions/adapters/sqs/quarantine.ts';
import { startTestAws, type TestAws } from '../support/aws.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { describeQuarantine } from './quarantine.ts';
import { type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

let aws: TestAws;

beforeAll(async () => {
  aws = await startTestAws();
});

afterAll(() => aws.close());

describeQuarantine('MemoryQuarantine', () => {
  const quarantine = new MemoryQuarantine();
  return Promise.resolve({ quarantine, kept: () => Promise.resolve(quarantine.items) });
});

describeQuarantine('SqsQuarantine', async () => {
  const queueUrl = await aws.createQueue();
  return {
    quarantine: new SqsQuarantine({ client: aws.clients.sqs, queueUrl }),
    kept: async () => {
      const messages = await aws.drain(queueUrl);
      return messages.map(({ Body = '' }) => JSON.parse(Body) as QuarantinedItem);
    },
  };
});
