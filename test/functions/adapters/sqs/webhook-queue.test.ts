import {
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { SqsWebhookQueue } from '../../../../functions/adapters/sqs/webhook-queue.ts';
import type { WebhookMessage } from '../../../../functions/deliver/ports.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();

const MESSAGE: WebhookMessage = {
  id: 'm1',
  receipt: 'r1',
  body: '{"id":"e1"}',
  receiveCount: 12,
  sentAt: 0,
};

async function makeQueue(attributes: Record<string, string> = {}) {
  const [queueUrl, deadLettersUrl] = [await aws.createQueue(), await aws.createQueue(attributes)];
  const { sqs: client } = aws.clients;
  const receive = async () => {
    const command = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await client.send(command);
    return Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle);
  };
  const queue = new SqsWebhookQueue({ client, queueUrl, deadLettersUrl });
  return { client, queueUrl, deadLettersUrl, queue, receive };
}

it('a message is hidden, or shown again at once', async () => {
  const { client, queueUrl, queue, receive } = await makeQueue();
  for (const MessageBody of ['a', 'b']) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  }
  const [first = '', second = ''] = await receive();
  await queue.hide(first, 11 * 3_600_000);
  await queue.hide(second, 0);
  expect(await receive()).toHaveLength(1);
});

it('a message is buried with the reason', async () => {
  const { queue, deadLettersUrl } = await makeQueue();
  const reason = `The endpoint answered 500. ü\n${'x'.repeat(500)}`;
  await queue.bury(MESSAGE, reason);
  const [buried] = await aws.drain(deadLettersUrl);
  expect(buried).toMatchObject({
    Body: MESSAGE.body,
    MessageAttributes: {
      reason: { StringValue: `The endpoint answered 500. ??${'x'.repeat(71)}` },
      attempts: { StringValue: '12' },
    },
  });
});

it('a message is buried also if its reason does not fit', async () => {
  const body = 'x'.repeat(2000);
  const { queue, deadLettersUrl } = await makeQueue({ MaximumMessageSize: String(body.length) });
  await queue.bury({ ...MESSAGE, body }, 'The endpoint answered 500.');
  const [buried] = await aws.drain(deadLettersUrl);
  expect(buried?.Body).toBe(body);
  expect(Object.keys(buried?.MessageAttributes ?? {})).toEqual([]);
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
  const buried = queue.bury(MESSAGE, 'why');
  await expect(buried).rejects.toBe(failure);
  expect(callCount).toBe(1);
});

it('a queue that refuses a message in any form is told by its error', async () => {
  const { queue, deadLettersUrl } = await makeQueue();
  await aws.clients.sqs.send(new DeleteQueueCommand({ QueueUrl: deadLettersUrl }));
  const buried = queue.bury(MESSAGE, 'why');
  await expect(buried).rejects.toThrow(/queue does not exist/i);
});
