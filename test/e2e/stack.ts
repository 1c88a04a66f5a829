import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { ChangeEvent, EventReference } from '../../functions/core/event.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/local-stack.ts';
import type { Delivery, Subscriber } from '../../infra/local/subscriber.ts';
import type { RunningService } from '../../infra/local/service/server.ts';

/** The local stack with a quiet simulated service, and all that its function logged. */
export interface TestStack extends LocalStack {
  readonly service: RunningService;
  readonly logs: readonly string[];
  /** Reads the event that a reference stands for, as a subscriber does. */
  readLargeEvent(reference: EventReference | undefined): Promise<ChangeEvent>;
}

/** @param config fields of the stage's config, as in cdk.json. */
export async function startTestStack(
  config: Readonly<Record<string, unknown>> = {},
): Promise<TestStack> {
  const logs: string[] = [];
  const stack = await startLocalStack({ config, onLog: (line) => logs.push(line) });
  if (stack.service === undefined) throw new Error('the simulated service was not started');
  const readLargeEvent = async (reference: EventReference | undefined): Promise<ChangeEvent> => {
    const { hostname: Bucket, pathname } = new URL(reference?.dataref ?? '');
    const get = new GetObjectCommand({ Bucket, Key: pathname.slice(1) });
    const { Body } = await stack.clients.s3.send(get);
    return JSON.parse((await Body?.transformToString()) ?? '') as ChangeEvent;
  };
  return { ...stack, service: stack.service, logs, readLargeEvent };
}

export function eventOf({ message }: Delivery): ChangeEvent {
  return JSON.parse(message) as ChangeEvent;
}

export function referenceOf({ message }: Delivery): EventReference {
  return JSON.parse(message) as EventReference;
}

/** The events that lie in a queue, as `<type> <last segment of the subject>`, sorted. */
export async function takeEvents(subscriber: Subscriber): Promise<string[]> {
  const events = (await subscriber.drain()).map(eventOf);
  return events.map(({ type, subject }) => `${type} ${subject.replace(/.*\//, '')}`).sort();
}

/** Lets the lease of a killed run end, as the passing of time does. */
export async function endLease({ clients, tableName }: LocalStack): Promise<void> {
  await clients.dynamodb.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { pk: { S: 'shard#0' }, sk: { S: 'lease' } },
      UpdateExpression: 'SET u = :past',
      ExpressionAttributeValues: { ':past': { N: '0' } },
    }),
  );
}
