import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
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
  const child = spawn(
    process.execPath,
    ['--conditions=@sitecast/source', 'docs/examples/mirror.ts', topicArn, 'a-bucket'],
    {
      env: {
        ...process.env,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'any',
        AWS_SECRET_ACCESS_KEY: 'any',
        AWS_ENDPOINT_URL: await addressOf(client),
        AWS_ENDPOINT_URL_DYNAMODB: await addressOf(dynamodb),
      },
    },
  );
  onTestFinished(() => void child.kill());
  await once(createInterface(child.stderr), 'line');
  const event = eventOf('a');
  await new SnsTopic({ client, topicArn, claimCheck }).publish([event]);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(line).toBe(`applied floorplan.updated ${SUBJECT}`);
  const saved = await findVersion(dynamodb, 'mirror', event.source, SUBJECT);
  expect(saved).toEqual({ sequence: event.sequence, isDeleted: false });
});

it('mirror.py keeps the latest state of what it reads', async () => {
  const child = spawn('python3', ['docs/examples/mirror.py', ':memory:']);
  const lines = ['2', '3', '1'].map((digit) => ({
    ...eventOf('a'),
    sequence: `2026-01-01T00:00:00.00000000${digit}Z`,
  }));
  const unknown = { ...eventOf('a'), type: 'floorplan.updated.v2', sequence: '9' };
  child.stdin.end([...lines, unknown].map((event) => `${JSON.stringify(event)}\n`).join(''));
  const applied = `floorplan.updated ${SUBJECT}`;
  expect((await text(child.stdout)).trim().split('\n')).toEqual([
    `applied ${applied}`,
    `applied ${applied}`,
    `ignored ${applied}`,
    `ignored ${unknown.type} ${SUBJECT}`,
  ]);
});

async function addressOf(client: {
  config: { endpoint?: () => Promise<{ hostname: string; port?: number }> };
}): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  return `http://${endpoint?.hostname}:${endpoint?.port}`;
}
