import {
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { SqsWebhookQueue } from '../../../../functions/adapters/sqs/webhook-queue.ts';
import type { WebhookMessage } from '../../../../functions/core/ports/webhook.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();

const MESSAGE: WebhookMessage = {
  id: 'm1',
  receipt: 'r1',
  body: '{"id":"e1"}',
  receiveCount: 30,
  sentAt: 0,
};

async function makeQueue(attributes: Record<string, string> = {}) {
  const [queueUrl, deadLettersUrl] = [
    await aws.createQueue(attributes),
    await aws.createQueue(attributes),
  ];
  const { sqs: client } = aws.clients;
  const receive = async () => {
    const command = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await client.send(command);
    return Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle);
  };
  const queue = new SqsWebhookQueue({ client, queueUrl, deadLettersUrl });
  return { client, queueUrl, deadLettersUrl, queue, receive };
}

it('messages are hidden, and released at once', async () => {
  const { client, queueUrl, queue, receive } = await makeQueue();
  for (const MessageBody of Array.from({ length: 12 }, (_, n) => String(n))) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  }
  const receipts = [...(await receive()), ...(await receive())];
  expect(receipts).toHaveLength(12);
  await queue.hide(receipts.slice(0, 1), 11 * 3_600_000);
  await queue.hide(receipts.slice(1), 0);
  expect([...(await receive()), ...(await receive())]).toHaveLength(11);
});

it.each([
  ['standard', {}, {}],
  ['FIFO', { FifoQueue: 'true' }, { group: 'g' }],
])('a message is buried in a %s queue with the reason', async (_, attributes, fields) => {
  const { queue, deadLettersUrl } = await makeQueue(attributes);
  const tries = { count: 11, firstAt: Date.parse('2026-11-22T12:00:00Z'), lastAt: 0 };
  const reason = `The endpoint answered 500. ü\n${'x'.repeat(500)}`;
  await queue.bury({ ...MESSAGE, ...fields }, reason, tries);
  const [buried] = await aws.drain(deadLettersUrl);
  const attributesOf = Object.entries(buried?.MessageAttributes ?? {});
  expect(buried?.Body).toBe(MESSAGE.body);
  expect(
    Object.fromEntries(attributesOf.map(([name, { StringValue }]) => [name, StringValue])),
  ).toEqual({
    reason: `The endpoint answered 500. ??${'x'.repeat(71)}`,
    attempts: '11',
    firstAttemptAt: '2026-11-22T12:00:00.000Z',
  });
});

it.each([
  ['its reason does not fit', 60, ['attempts', 'firstAttemptAt']],
  ['no attribute fits', 0, []],
])('a message is buried also if %s', async (_, spaceBytes, names) => {
  const body = 'x'.repeat(2000);
  const MaximumMessageSize = String(body.length + spaceBytes);
  const { queue, deadLettersUrl } = await makeQueue({ MaximumMessageSize });
  const tries = { count: 14, firstAt: Date.parse('2026-11-22T12:00:00Z'), lastAt: 0 };
  await queue.bury({ ...MESSAGE, body }, 'The endpoint answered 500.', tries);
  const [buried] = await aws.drain(deadLettersUrl);
  expect(buried?.Body).toBe(body);
  expect(Object.keys(buried?.MessageAttributes ?? {}).sort()).toEqual(names);
});

it.each([
  ['throttled', { name: 'RequestThrottled', $fault: 'client' as const }],
  ['the queue is at fault', { name: 'ServiceUnavailable', $fault: 'server' as const }],
])('a message keeps its reason if it cannot be buried now: %s', async (_, fault) => {
  const { queueUrl, deadLettersUrl } = await makeQueue();
  const { sqs: client } = aws.freshClients();
  const failure = new SQSServiceException({ ...fault, message: 'later', $metadata: {} });
  let callCount = 0;
  scriptCalls(client, 'SendMessageCommand', () => {
    callCount += 1;
    throw failure;
  });
  const queue = new SqsWebhookQueue({ client, queueUrl, deadLettersUrl });
  const buried = queue.bury(MESSAGE, 'why', { count: 1, firstAt: 0, lastAt: 0 });
  await expect(buried).rejects.toBe(failure);
  expect(callCount).toBe(1);
});

it('a queue that refuses a message in any form is told by its error', async () => {
  const { queue, deadLettersUrl } = await makeQueue();
  await aws.clients.sqs.send(new DeleteQueueCommand({ QueueUrl: deadLettersUrl }));
  const buried = queue.bury(MESSAGE, 'why', { count: 1, firstAt: 0, lastAt: 0 });
  await expect(buried).rejects.toThrow(/queue does not exist/i);
});

it('a queue that hides only some of them says so', async () => {
  const { queueUrl, deadLettersUrl } = await makeQueue();
  const { sqs: client } = aws.freshClients();
  client.middlewareStack.add(
    () => () => {
      const Failed = [
        { Id: '0', Code: 'InvalidParameterValue', Message: 'too old', SenderFault: true },
      ];
      return Promise.resolve({ response: {}, output: { Failed, $metadata: {} } as never });
    },
    { step: 'initialize' },
  );
  const queue = new SqsWebhookQueue({ client, queueUrl, deadLettersUrl });
  await expect(queue.hide(['r'], 1000)).rejects.toThrow(
    `Queue ${queueUrl} did not hide 1 of 1 messages: InvalidParameterValue too old`,
  );
});
