import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { DynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { eventOf, stateOf, guardFor } from '../../../support/samples.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();

function countCalls(client: { readonly middlewareStack: object }, commandName: string) {
  const calls = { count: 0 };
  scriptCalls(client, commandName, (input, proceed) => {
    calls.count += 1;
    return proceed(input);
  });
  return calls;
}

describe('a change that takes many calls', () => {
  it('stops between two writes to the table when the lease is lost', async () => {
    const { dynamodb } = aws.freshClients();
    const calls = countCalls(dynamodb, BatchWriteItemCommand.name);
    const tableName = await aws.createTable();
    const store = new DynamoDbStore({ client: dynamodb, tableName, concurrency: 1 });
    const { guard, loss } = guardFor(2);
    const known = Array.from({ length: 100 }, (_, i) => stateOf(`id-${i}`));
    await expect(store.saveStates('projects/p/floorplans', known, guard)).rejects.toBe(loss);
    expect(calls.count).toBe(2);
  });

  it('stops between two calls of the topic when the lease is lost', async () => {
    const { sns } = aws.freshClients();
    const calls = countCalls(sns, PublishBatchCommand.name);
    const { topicArn } = await aws.createTopic();
    const claimCheck = await aws.createClaimCheck();
    const topic = new SnsTopic({ client: sns, topicArn, claimCheck, concurrency: 1 });
    const { guard, loss } = guardFor(2);
    const events = Array.from({ length: 50 }, (_, i) => eventOf(`id-${i}`));
    await expect(topic.publish(events, guard)).rejects.toBe(loss);
    expect(calls.count).toBe(2);
  });
});
