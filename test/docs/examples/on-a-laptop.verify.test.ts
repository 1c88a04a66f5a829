import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { startTestAws } from '../../support/aws.ts';
import { eventOf } from '../../support/samples.ts';
import { testAws } from '../../support/test-aws.ts';

const PROGRAM = 'docs/examples/on-a-laptop.ts';
const claimCheck = { put: () => Promise.reject(new Error('no event is large here')) };

const aws = testAws();

describe('the subscriber for a laptop', () => {
  it('prints published events until it is interrupted', async () => {
    const { child, topic } = await subscribed();
    try {
      await topic.publish([eventOf('a')]);
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      expect(line).toBe('floorplan.updated /projects/p1/floorplans/a name');
    } finally {
      child.kill('SIGINT');
      expect(await once(child, 'close')).toEqual([0, null]);
    }
  });

  it('ends when the reader of its output has gone, as with | head', async () => {
    const { child, topic } = await subscribed();
    child.stdout.destroy();
    const closed = once(child, 'close');
    await topic.publish([eventOf('a')]);
    expect(await closed).toEqual([0, null]);
  });

  it('says that the stack has ended, and ends, too', async () => {
    const others = await startTestAws();
    const endpoint = await others.clients.sns.config.endpoint?.();
    const address = `http://${endpoint?.hostname}:${endpoint?.port}`;
    const create = new CreateTopicCommand({ Name: 'laptop' });
    const { TopicArn: topicArn = '' } = await others.clients.sns.send(create);
    const child = run(address, topicArn);
    onTestFinished(() => void child.kill());
    const lines = createInterface(child.stderr);
    await once(lines, 'line');
    const next = once(lines, 'line') as Promise<[string]>;
    const closed = once(child, 'close');
    await others.close();
    expect((await next)[0]).toContain(`${address} cannot be used any more: `);
    expect(await closed).toEqual([1, null]);
  });

  it('prints its usage without arguments', async () => {
    const child = run();
    const [usage] = (await once(createInterface(child.stderr), 'line')) as [string];
    expect(usage).toContain('<topic ARN>');
    expect(await once(child, 'close')).toEqual([2, null]);
  });

  it.each(['127.0.0.1:9', 'localhost:9', 'arn:aws:sns:us-east-1:000000000000:nope'])(
    'says that %s is no address',
    async (address) => {
      const child = run(address, 'arn');
      const [message] = (await once(createInterface(child.stderr), 'line')) as [string];
      expect(message).toBe(
        `${address} is no address: it begins with http://, as the one that npm start prints.`,
      );
      expect(await once(child, 'close')).toEqual([2, null]);
    },
  );

  it('says that there is no such topic', async () => {
    const child = run(await addressOf(), 'arn:aws:sns:us-east-1:000000000000:nope');
    const [message] = (await once(createInterface(child.stderr), 'line')) as [string];
    expect(message).toMatch(/^arn:.*:nope cannot be subscribed: .* npm start prints\?$/);
    expect(await once(child, 'close')).toEqual([1, null]);
  });

  it('says that nothing is at the address', async () => {
    const child = run('http://127.0.0.1:9', 'arn');
    const [message] = (await once(createInterface(child.stderr), 'line')) as [string];
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be used: .*ECONNREFUSED/);
    expect(await once(child, 'close')).toEqual([1, null]);
  });
});

/** Starts the program, and waits until it is subscribed to a topic. */
async function subscribed() {
  const { sns: client } = aws.clients;
  const { TopicArn: topicArn = '' } = await client.send(new CreateTopicCommand({ Name: 'laptop' }));
  const child = run(await addressOf(), topicArn);
  onTestFinished(() => void child.kill());
  const [waiting] = (await once(createInterface(child.stderr), 'line')) as [string];
  expect(waiting).toContain('Waiting');
  return { child, topic: new SnsTopic({ client, topicArn, claimCheck }) };
}

/** The address of the embedded topic. */
async function addressOf(): Promise<string> {
  const endpoint = await aws.clients.sns.config.endpoint?.();
  return `http://${endpoint?.hostname}:${endpoint?.port}`;
}

/** Runs the program on the source of the event package, as the tests do. */
function run(...args: string[]) {
  return spawn(process.execPath, ['--conditions=@sitecast/source', PROGRAM, ...args]);
}
