import { SqsQuarantine } from '../../functions/adapters/sqs/quarantine.ts';
import { type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { testAws } from '../support/test-aws.ts';
import { describeQuarantine } from './quarantine.ts';

const aws = testAws();

describeQuarantine('MemoryQuarantine', () => {
  const quarantine = new MemoryQuarantine();
  return Promise.resolve({ quarantine, kept: () => Promise.resolve(quarantine.items) });
});

describeQuarantine('SqsQuarantine', async () => {
  const queueUrl = await aws.createQueue();
  return {
    quarantine: new SqsQuarantine({
      ...{ client: aws.clients.sqs, queueUrl },
      copies: await aws.createClaimCheck('quarantine'),
    }),
    kept: async () => {
      const messages = await aws.drain(queueUrl);
      return messages.map(({ Body = '' }) => {
        const { copy: _, ...item } = JSON.parse(Body) as QuarantinedItem & { copy: string };
        return item;
      });
    },
  };
});
