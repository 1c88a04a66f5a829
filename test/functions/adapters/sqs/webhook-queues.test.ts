import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { beforeEach, expect, it } from 'vitest';
import { SqsWebhookQueues } from '../../../../functions/adapters/sqs/webhook-queues.ts';
import type { DeployedWebhook } from '../../../../functions/control/ports.ts';
import { testAws } from '../../../support/test-aws.ts';

/** Dead letters that a call looks at in these tests. */
const MAX = 30;

const aws = testAws();
let webhook: DeployedWebhook;
let queues: SqsWebhookQueues;
/** Calls by their commands. */
let calls: Record<string, number>;

beforeEach(async () => {
  const [queueUrl, deadLettersUrl] = [await aws.createQueue(), await aws.createQueue()];
  webhook = { name: 'hook', url: 'https://a.example', functionName: 'f', queueUrl, deadLettersUrl };
  calls = {};
  const { sqs } = aws.freshClients();
  sqs.middlewareStack.add(
    (next, context) => (args) => {
      const { commandName = '' } = context as { readonly commandName?: string };
      calls[commandName] = (calls[commandName] ?? 0) + 1;
      return next(args);
    },
    { step: 'initialize' },
  );
  queues = new SqsWebhookQueues(sqs, { maxReceived: MAX });
});

/** Buries dead letters with these bodies, in this order. */
async function bury(bodies: readonly string[]): Promise<void> {
  const QueueUrl = webhook.deadLettersUrl;
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies
      .slice(start, start + 10)
      .map((MessageBody, id) => ({ Id: String(id), MessageBody }));
    await aws.clients.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
}

const many = (count: number, body: string): string[] => Array<string>(count).fill(body);
const isNew = (body: string): boolean => body === 'new';

it('a repeated call looks at others than the call before left, and says that some are hidden', async () => {
  await bury([...many(45, 'old'), 'new']);
  expect(await queues.redrive(webhook, isNew)).toEqual({
    ...{ movedCount: 0, isComplete: false, hiddenCount: 0 },
  });
  expect(calls['ReceiveMessageCommand']).toBe(3);
  expect(await queues.redrive(webhook, isNew)).toEqual({
    ...{ movedCount: 1, isComplete: true, hiddenCount: 30 },
  });
  expect(await aws.drain(webhook.queueUrl)).toHaveLength(1);
  expect(await aws.drain(webhook.deadLettersUrl)).toHaveLength(15);
});
