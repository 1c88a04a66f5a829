import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { EventSourceMapping } from '../../../../infra/local/lambda/event-source-mapping.ts';
import { startClients } from '../../../support/embedded.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:work';

/** A mapping of a queue to a function that does the work. */
async function start(work: (event: SQSEvent) => unknown, batchSize = 10, isEnabled = true) {
  const { sqs } = await startClients();
  const attributes = { QueueName: 'work', Attributes: { VisibilityTimeout: '1' } };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand(attributes));
  const problems: string[] = [];
  const events: SQSEvent[] = [];
  const invoke = (event: unknown): Promise<unknown> => {
    events.push(event as SQSEvent);
    return Promise.resolve(work(event as SQSEvent));
  };
  const definition = { uuid: 'u', functionArn: 'f', queueArn, queueUrl: QueueUrl, batchSize };
  const onProblem = (problem: string, { message }: Error) =>
    problems.push(`${problem}: ${message}`);
  const mapping = new EventSourceMapping(
    definition,
    { sqs, function: { invoke }, onProblem },
    isEnabled,
  );
  onTestFinished(() => mapping.close());
  const send = (...bodies: string[]) => {
    const Entries = bodies.map((MessageBody, index) => ({
      Id: String(index),
      MessageBody,
      MessageAttributes: { type: { DataType: 'String', StringValue: MessageBody } },
    }));
    return sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  };
  const count = async (): Promise<number> => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const { Attributes = {} } = await sqs.send(command);
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes;
    return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible);
  };
  const bodies = () => events.map(({ Records }) => Records.map(({ body }) => body).join(' '));
  const isEmpty = () => expect.poll(count, { timeout: 8_000 }).toBe(0);
  return { mapping, send, count, isEmpty, events, bodies, problems };
}

it('hands over messages as Lambda does, batch by batch, and deletes them', async () => {
  const { mapping, send, isEmpty, events, bodies } = await start(() => null, 2, false);
  await send('1', '2', '3');
  mapping.setEnabled(true);
  await isEmpty();
  expect(bodies()).toEqual(['1 2', '3']);
  expect(events[0]?.Records[0]).toMatchObject({
    body: '1',
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: { type: { stringValue: '1', dataType: 'String' } },
    eventSourceARN: queueArn,
  });
});

it('leaves what failed hidden until its visibility timeout, then tries it again', async () => {
  const { send, isEmpty, bodies } = await start(({ Records }) => ({
    batchItemFailures: Records.filter(
      ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
    ).map(({ messageId }) => ({ itemIdentifier: messageId })),
  }));
  await send('good', 'bad');
  await isEmpty();
  expect(bodies()).toEqual(['good bad', 'bad']);
});

it('leaves messages in the queue while it is disabled', async () => {
  const { mapping, send, count, isEmpty, events } = await start(() => null, 10, false);
  expect(mapping.state).toBe('Disabled');
  await send('waits');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([await count(), events.length]).toEqual([1, 0]);
  mapping.setEnabled(true);
  await isEmpty();
  mapping.setEnabled(false);
  expect(mapping.state).toBe('Disabling');
  await expect.poll(() => mapping.state, { timeout: 5_000 }).toBe('Disabled');
});
