import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { DynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { testAws } from '../../../support/test-aws.ts';
import { eventOf, stateOf, guardFor } from '../../../support/samples.ts';
import { scriptCalls } from '../../../support/script-calls.ts';

const aws = testAws();
describe('a change that takes many calls', () => {
  it('stops between two writes to the table when its permit ends', async () => {
    const { dynamodb } = aws.freshClients();
    let calls = 0;
    scriptCalls(dynamodb, BatchWriteItemCommand.name, (input, proceed) => {
      calls += 1;
      return proceed(input);
    });
    const tableName = await aws.createTable();
    const store = new DynamoDbStore({ client: dynamodb, tableName, concurrency: 1 });
    const { guard, loss } = guardFor(2);
    const known = Array.from({ length: 100 }, (_, i) => stateOf(`id-${i}`));
    await expect(store.saveStates('projects/p/floorplans', known, guard)).rejects.toBe(loss);
    expect(calls).toBe(2);
  });

  it('stops between two calls of the topic when its permit ends', async () => {
    const { sns } = aws.freshClients();
    let calls = 0;
    scriptCalls(sns, PublishBatchCommand.name, (input, proceed) => {
      calls += 1;
      return proceed(input);
    });
    const { topicArn } = await aws.createTopic();
    const topic = new SnsTopic({
      client: sns,
      topicArn,
      claimCheck: await aws.createClaimCheck(),
      concurrency: 1,
    });
    const { guard, loss } = guardFor(2);
    const events = Array.from({ length: 50 }, (_, i) => eventOf(`id-${i}`));
    await expect(topic.publish(events, guard)).rejects.toBe(loss);
    expect(calls).toBe(2);
  });
});
