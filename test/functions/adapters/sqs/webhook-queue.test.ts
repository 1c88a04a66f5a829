import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { SqsWebhookQueue } from '../../../../functions/adapters/sqs/webhook-queue.ts';
import type { WebhookMessage } from '../../../../functions/deliver/ports.ts';
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

it('a message is buried as it is', async () => {
  const { queue, deadLettersUrl } = await makeQueue();
  await queue.bury(MESSAGE);
  expect(await aws.drain(deadLettersUrl)).toMatchObject([{ Body: MESSAGE.body }]);
});
