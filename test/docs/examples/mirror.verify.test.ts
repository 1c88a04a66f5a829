import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { findVersion } from '../../../docs/examples/latest-state.ts';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { eventOf } from '../../support/samples.ts';
import { testAws } from '../../support/test-aws.ts';

const claimCheck = { put: () => Promise.reject(new Error('no event is large here')) };
const SUBJECT = '/projects/p1/floorplans/a';

const aws = testAws();

it('mirror.ts keeps the latest state of what the topic publishes', async () => {
  const { sns: client, dynamodb } = aws.clients;
  const { TopicArn: topicArn = '' } = await client.send(new CreateTopicCommand({ Name: 'mirror' }));
  const child = spawn(process.execPath, ['docs/examples/mirror.ts', topicArn, 'a-bucket'], {
    env: {
      ...process.env,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
      AWS_ENDPOINT_URL: await addressOf(client),
      AWS_ENDPOINT_URL_DYNAMODB: await addressOf(dynamodb),
    },
  });
  onTestFinished(() => void child.kill());
  await once(createInterface(child.stderr), 'line');
  const event = eventOf('a');
  await new SnsTopic({ client, topicArn, claimCheck }).publish([event]);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(line).toBe(`applied floorplan.updated ${SUBJECT}`);
  const saved = await findVersion(dynamodb, 'mirror', event.source, SUBJECT);
  expect(saved).toEqual({ sequence: event.sequence, isDeleted: false });
});

const hasBoto3 = spawnSync('python3', ['-c', 'import boto3']).status === 0;

// Skipped where Python has no boto3.
it.skipIf(!hasBoto3)('mirror.py keeps the latest state of what its queue brings', async () => {
  const { sqs, s3 } = aws.clients;
  const { topicArn, queueUrl } = await aws.createTopic();
  const Bucket = await aws.createBucket();
  const eventAt = (digit: number, changes: object = {}) => ({
    ...eventOf('a'),
    ...{ sequence: `2026-01-01T00:00:00.00000000${digit}Z`, ...changes },
  });
  const Body = JSON.stringify(eventAt(4));
  await s3.send(new PutObjectCommand({ Bucket, Key: 'events/4', Body }));
  const { data, ...claimCheck } = eventAt(4);
  const unknown = eventAt(9, { type: 'floorplan.updated.v2' });
  const bodies = [
    ...[eventAt(2), eventAt(3), eventAt(1), unknown, {}],
    { ...claimCheck, dataref: `s3://${Bucket}/events/4` },
    { TopicArn: topicArn, Message: JSON.stringify(eventAt(5)) },
  ];
  for (const body of bodies) {
    await sqs.send(
      new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(body) }),
    );
  }
  const cwd = await mkdtemp(join(tmpdir(), 'sitecast-mirror-'));
  const child = spawn('python3', [resolve('docs/examples/mirror.py'), queueUrl, Bucket], {
    ...{ cwd, env: { ...process.env, ...aws.environment } },
  });
  onTestFinished(async () => {
    child.kill();
    await rm(cwd, { recursive: true });
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const applied = `applied floorplan.updated ${SUBJECT}`;
  const ignored = `ignored floorplan.updated ${SUBJECT}`;
  await expect
    .poll(() => lines, { timeout: 30_000 })
    .toEqual([applied, applied, ignored, `ignored ${unknown.type} ${SUBJECT}`, applied, applied]);
  const get = new GetQueueAttributesCommand({
    ...{ QueueUrl: queueUrl, AttributeNames: ['ApproximateNumberOfMessagesNotVisible'] },
  });
  // The message that is no event comes again. The last one is removed after its line is printed.
  await expect
    .poll(async () => (await sqs.send(get)).Attributes)
    .toEqual({ ApproximateNumberOfMessagesNotVisible: '1' });
});

async function addressOf(client: {
  config: { endpoint?: () => Promise<{ hostname: string; port?: number }> };
}): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  return `http://${endpoint?.hostname}:${endpoint?.port}`;
}
