import { describe } from 'vitest';
import { SnsTopic } from '../../functions/adapters/sns/event-topic.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../functions/core/contract/events.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { testAws } from '../support/test-aws.ts';
import { describeEventTopic } from './event-topic.ts';

const aws = testAws();

describeEventTopic('MemoryTopic', () => {
  const topic = new MemoryTopic();
  return Promise.resolve({
    topic,
    accepted: () => Promise.resolve(topic.messages),
    read: (dataref: string) => Promise.resolve(topic.read(dataref)),
  });
});

describe.each([{ fifo: false }, { fifo: true }])('with %o', (options) => {
  describeEventTopic('SnsTopic', async () => {
    const { topicArn, queueUrl } = await aws.createTopic(options);
    const claimCheck = await aws.createClaimCheck();
    return {
      topic: new SnsTopic({ client: aws.clients.sns, topicArn, claimCheck }),
      accepted: async () => {
        const messages = await aws.drain(queueUrl);
        return messages.map(({ Body = '' }) => JSON.parse(Body) as ChangeEvent | ClaimCheckEvent);
      },
      read: async (dataref) => JSON.parse((await aws.read(dataref)).text) as ChangeEvent,
    };
  });
});
