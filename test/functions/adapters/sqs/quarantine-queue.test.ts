import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { beforeEach, expect, it } from 'vitest';
import { objectReader } from '../../../../functions/adapters/s3/read-object.ts';
import { SqsQuarantineQueue } from '../../../../functions/adapters/sqs/quarantine-queue.ts';
import { SqsQuarantine } from '../../../../functions/adapters/sqs/quarantine.ts';
import { parseJson } from '../../../../functions/core/model/json/json.ts';
import type { QuarantinedItem } from '../../../../functions/core/ports/quarantine.ts';
import { intercept } from '../../../support/intercept.ts';
import { eventOf, noise } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let queueUrl: string;
let quarantine: SqsQuarantine;
let queue: SqsQuarantineQueue;
let now: number;

beforeEach(async () => {
  queueUrl = await aws.createQueue();
  now = Date.parse('2026-11-22T12:00:00Z');
  const { s3, sqs: client } = aws.clients;
  const copies = await aws.createClaimCheck('quarantine');
  quarantine = new SqsQuarantine({ client, queueUrl, copies, now: () => now });
  const readCopy = objectReader(s3);
  queue = new SqsQuarantineQueue({ client, queueUrl, readCopy, maxMessages: 15 });
});

const ITEMS: readonly QuarantinedItem[] = [
  { feed: 'projects', reason: 'no id', value: parseJson('{"n":12345678901234567890}') },
  { feed: 'projects', cursor: '2026-01-01T00:00:00.000Z', reason: '🏗', value: null },
  { feed: 'projects', reason: 'compressed', value: { id: 'c', text: 'x'.repeat(500_000) } },
  { feed: 'projects', reason: 'omitted', value: { id: 'o', text: noise(400_000) } },
  { feed: 'projects', reason: 'omitted, too', value: { subject: 'Floor', text: noise(400_000) } },
  { feed: 'projects', reason: 'event', value: eventOf('f') },
  { feed: 'projects', reason: 'compressed event', value: withText('x'.repeat(500_000)) },
  { feed: 'projects', reason: 'omitted event', value: withText(noise(400_000)) },
];

function withText(text: string) {
  const event = eventOf('f');
  return { ...event, data: { ...event.data, object: { ...event.data.object, text } } };
}

async function receive() {
  const received = await queue.receive();
  await queue.release(received.items.flatMap(({ receipts }) => receipts));
  return received;
}

it('each item comes back whole, from its message or its copy', async () => {
  await quarantine.put(ITEMS);
  const { items, isComplete, hiddenCount } = await receive();
  expect([isComplete, hiddenCount, items.length]).toEqual([true, 0, ITEMS.length]);
  for (const item of ITEMS) {
    const kept = items.find(({ reason }) => reason === item.reason);
    const whole = kept?.read?.() ?? (await queue.readCopy(kept?.copy ?? ''));
    expect(JSON.stringify(whole)).toBe(JSON.stringify(item));
    expect(kept?.kind).toBe(item.reason.includes('event') ? 'event' : 'entity');
    expect(kept?.read === undefined).toBe(item.reason.startsWith('omitted'));
  }
});

it('equal items are one, however often they were quarantined, and are deleted together', async () => {
  const [item] = ITEMS;
  if (item === undefined) throw new Error('no item');
  await quarantine.put([item, item]);
  now += 86_400_000;
  await quarantine.put([item]);
  const { items } = await queue.receive();
  expect(items.map(({ receipts }) => receipts.length)).toEqual([3]);
  expect((await queue.receive()).hiddenCount).toBe(3);
  await queue.delete(items.flatMap(({ receipts }) => receipts));
  expect(await receive()).toEqual({ items: [], isComplete: true, hiddenCount: 0 });
});

it('shows a message that somebody else has sent, which holds up nothing and can be deleted', async () => {
  const foreign = [
    'test message',
    'null',
    '{"id":"x"}',
    '{"feed":"projects","reason":"no copy"}',
    '{"feed":"projects","copy":"no reason"}',
  ];
  const { sqs } = aws.clients;
  for (const MessageBody of foreign) {
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  }
  await quarantine.put([{ feed: 'projects', reason: 'no id', value: null }]);
  const { items } = await receive();
  const strangers = items.filter(({ reason }) => reason === 'The message is no item of Sitecast.');
  expect(strangers.map((item) => item.read?.().value).sort()).toEqual(foreign.toSorted());
  expect(new Set(strangers.map(({ id }) => id)).size).toBe(foreign.length);
  expect(items.length).toBe(foreign.length + 1);
  const received = await queue.receive();
  await queue.delete(received.items.flatMap(({ receipts }) => receipts));
  expect((await receive()).items).toEqual([]);
});

it('gives back what it has received when it cannot go on', async () => {
  await quarantine.put(ITEMS.slice(0, 2));
  const { sqs: client } = aws.clients;
  let receiveCount = 0;
  const failing = intercept(client, ({ parameters: [command], proceed }) => {
    if (command instanceof ReceiveMessageCommand) receiveCount += 1;
    return command instanceof ReceiveMessageCommand && receiveCount === 2
      ? Promise.reject(new Error('no answer'))
      : proceed();
  });
  const readCopy = () => Promise.reject(new Error('not read'));
  const broken = new SqsQuarantineQueue({ client: failing, queueUrl, readCopy });
  await expect(broken.receive()).rejects.toThrow('no answer');
  const count = new GetQueueAttributesCommand({
    QueueUrl: queueUrl,
    AttributeNames: ['ApproximateNumberOfMessages'],
  });
  const { Attributes } = await client.send(count);
  expect(Attributes).toMatchObject({ ApproximateNumberOfMessages: '2' });
});

it('says that there may be more than it has looked at', async () => {
  const value = (n: number) => ({ n });
  await quarantine.put(
    Array.from({ length: 40 }, (_, n) => ({ feed: 'projects', reason: 'r', value: value(n) })),
  );
  const { items, isComplete } = await receive();
  expect([items.length, isComplete]).toEqual([20, false]);
});

it('a copy that is gone is named', async () => {
  await expect(queue.readCopy('s3://bucket/quarantine/2026-11-22/ab.json')).rejects.toThrow(
    'The copy s3://bucket/quarantine/2026-11-22/ab.json cannot be read: NoSuchBucket',
  );
});
