import { afterAll, beforeAll } from 'vitest';
import { SnsTopic } from '../../functions/adapters/sns-topic.ts';
import type { ChangeEvent } from '../../functions/core/event.ts';
import { startTestAws, type TestAws } from '../support/aws.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { describeEventTopic } from './event-topic.ts';

let aws: TestAws;

beforeAll(async () => {
  aws = await startTestAws();
});

afterAll(() => aws.close());

describeEventTopic('MemoryTopic', () => {
  const topic = new MemoryTopic();
  return Promise.resolve({ topic, accepted: () => Promise.resolve(topic.published) });
});

describeEventTopic('SnsTopic', async () => {
  const { topicArn, queueUrl } = await aws.createTopic();
  return {
    topic: new SnsTopic({ client: aws.clients.sns, topicArn }),
    accepted: async () => {
      const messages = await aws.drain(queueUrl);
      return messages.map(({ Body = '' }) => JSON.parse(Body) as ChangeEvent);
    },
  };
});
