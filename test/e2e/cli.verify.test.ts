import { rm } from 'node:fs/promises';
import { ListSubscriptionsByTopicCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChangedAnswer, StatusAnswer } from '../../functions/control/protocol.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { LocalStackFile } from '../../infra/local/stack/local-stack-file.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { leaveAddressOf } from './leave-address.ts';
import { pollUntilEnd } from './poll-until-end.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;
let temporary: string;
const onTestsFinished: (() => Promise<void>)[] = [];
let projectId: string;
let floorplans: string;

const leaveAddress = async (changes: Partial<LocalStackFile> = {}, count = 1): Promise<string> => {
  const folder = await leaveAddressOf(stack, changes, count);
  onTestsFinished.push(() => rm(folder, { recursive: true }));
  return folder;
};

beforeAll(async () => {
  stack = await startTestStack();
  projectId = stack.service.world.projects.all()[0]?.id ?? '';
  floorplans = `projects/${projectId}/floorplans`;
  await stack.invoke();
  temporary = await leaveAddress();
});

afterAll(async () => {
  await stack.close();
  for (const finish of onTestsFinished) await finish();
});

const run = (...args: string[]) => runCli(args, { env: { TMPDIR: temporary } });
const start = (...args: string[]) => startCli(args, { env: { TMPDIR: temporary } });

async function readStatus(...args: string[]): Promise<StatusAnswer> {
  return JSON.parse((await run('status', '--local', '--json', ...args)).stdout) as StatusAnswer;
}

describe('sitecast status', () => {
  it('shows totals and a line for each list', async () => {
    const { code, stdout, stderr } = await run('status', '--local', '--limit', '2');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^the local stack\n {2}5 lists: 5 live\n {2}shard 0: last run completed .*\n\nLIST /,
    );
    expect(stdout).toMatch(/\nprojects +live +\d+ s /);
    expect(stdout).toMatch(/\n… and 3 more \(--limit 0 shows all\)\n$/);
  });

  it('refuses the local stack of another clone', async () => {
    const env = { TMPDIR: await leaveAddress({ clone: '/home/other/sitecast' }) };
    const { code, stderr } = await runCli(['pause', '--local', '--all'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^There is no local stack of this folder\./);
  });

  it('writes one JSON document for programs', async () => {
    const status = await readStatus('--project', projectId);
    expect(status).toMatchObject({
      command: 'status',
      totals: { lists: 5, byState: { waiting: 0 } },
    });
    expect(status.lists.map(({ list }) => list)).toEqual([
      floorplans,
      `projects/${projectId}/template_checklists`,
    ]);
  });
});

describe('a command', () => {
  it('changes nothing on trial', async () => {
    const { stdout } = await run('pause', '--local', '--list', floorplans, '--dry-run');
    expect(stdout).toBe(`pause would concern 1 list: ${floorplans}. Nothing was changed.\n`);
  });

  it('is applied at once', async () => {
    const paused = await run('pause', '--local', '--list', floorplans);
    expect(paused).toMatchObject({ code: 0, stdout: `Paused 1 list: ${floorplans}.\n` });
    expect((await readStatus('--state', 'paused')).lists).toMatchObject([{ list: floorplans }]);
    const scope = ['--project', projectId];
    const resumed = await run('resume', '--local', ...scope, '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ listCount: 2, changedCount: 1 });
    expect((await readStatus('--state', 'paused')).lists).toEqual([]);
  });

  it('gives lists jobs without waiting for them', async () => {
    const { code, stdout } = await run(
      ...['reconcile', '--local', '--project', projectId, '--no-wait', '--json'],
    );
    const answer = JSON.parse(stdout) as ChangedAnswer;
    expect([code, answer]).toMatchObject([0, { command: 'reconcile', listCount: 2 }]);
    const { id } = answer;
    expect((await readStatus()).jobs).toMatchObject([{ id, waiting: 2 }]);
    await stack.invoke();
    expect((await readStatus()).jobs).toMatchObject([{ id, waiting: 0 }]);
  });

  it('fails at once while all lists are paused, and names those that are paused', async () => {
    await run('pause', '--local', '--all');
    const waiting = await run('reconcile', '--local', '--project', projectId);
    expect(waiting.code).toBe(1);
    expect(waiting.stderr).toContain('sitecast resume --all --local');
    const again = await run('reconcile', '--local', '--project', projectId, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ jobCount: 2, error: { name: 'CliError' } });
    const refused = await run('replay', '--local', '--project', projectId, '--since', '1h');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^No list is free/)]);
    await run('resume', '--local', '--all');
    await run('cancel', '--local', '--all');
    await run('pause', '--local', '--list', floorplans);
    const partial = run('reconcile', '--local', '--project', projectId);
    const { code, stdout } = await pollUntilEnd(stack, partial);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${floorplans} skipped: `)]);
    await run('resume', '--local', '--all');
    await run('resume', '--local', '--list', floorplans);
  });

  it('publishes events again, with the ids that they had', async () => {
    const subscriber = await stack.subscribe();
    const take = async () =>
      (await subscriber.drain()).map(({ message }) => JSON.parse(message) as ChangeEvent);
    const since = new Date().toISOString();
    stack.service.world.projects.update(projectId, { name: 'Replayed' });
    await stack.invoke();
    const first = (await take()).map(({ id }) => id);
    expect(first).toHaveLength(1);
    const { code, stdout } = await pollUntilEnd(
      stack,
      run('replay', '--local', '--list', 'projects', '--since', since),
    );
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/\nDone: 1 list, 1 done, 1 events\.\n$/),
    ]);
    const again = await take();
    expect(again.map(({ id, cause }) => [id, cause])).toEqual(first.map((id) => [id, 'replay']));
    const { sns, sqs } = stack.clients;
    await sns.send(new UnsubscribeCommand({ SubscriptionArn: subscriber.subscriptionArn }));
    await sqs.send(new DeleteQueueCommand({ QueueUrl: subscriber.queueUrl }));
  });

  it('that is refused changes nothing, and says why', async () => {
    const list = `projects/${projectId}/floorplan`;
    const { code, stdout, stderr } = await run('pause', '--local', '--list', list, '--json');
    expect([code, stderr]).toEqual([
      1,
      `pause was refused: There is no list "${list}".\nDid you mean "${floorplans}"?\n`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { name: 'RequestRefusedError' } });
  });
});

describe('sitecast listen and trigger', () => {
  const queues = async () =>
    (await stack.clients.sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'sitecast-listen' })))
      .QueueUrls ?? [];
  const subscriptions = async () =>
    (
      await stack.clients.sns.send(
        new ListSubscriptionsByTopicCommand({ TopicArn: stack.topicArn }),
      )
    ).Subscriptions?.length;

  it('show the event of a triggered change, and leave nothing behind', async () => {
    const listening = start('listen', '--local', '--type', 'floorplan.updated');
    const json = start('listen', '--local', '--json', '--project', projectId.slice(0, 8));
    for (const it of [listening, json]) {
      await vi.waitUntil(() => it.stderr.startsWith('Listening to the local stack'), {
        timeout: 20_000,
      });
    }
    expect([(await queues()).length, await subscriptions()]).toEqual([2, 2]);
    const [QueueUrl] = await queues();
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] });
    const { Policy = '' } = (await stack.clients.sqs.send(read)).Attributes ?? {};
    expect(JSON.parse(Policy)).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'sns.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Condition: { ArnEquals: { 'aws:SourceArn': stack.topicArn } },
        },
      ],
    });
    const types = ['floorplan.updated', 'floorplan.created', 'floorplan.deleted'];
    const subjects: string[] = [];
    for (const type of types) {
      const { stdout } = await run('trigger', type);
      expect(stdout).toMatch(new RegExp(`^${type} {2}/projects/.*/floorplans/[^/]+\n$`));
      subjects.push(stdout.slice(type.length + 2, -1));
      await stack.invoke();
    }
    await vi.waitUntil(() => listening.stdout !== '', { timeout: 20_000 });
    listening.child.kill('SIGINT');
    json.child.kill('SIGTERM');
    const outcomes = await Promise.all([listening.ended, json.ended]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(listening.stdout).toMatch(/^\d\d:\d\d:\d\d {2}updated +floorplan +".* {2}name: ".*\n$/);
    const expected = types.filter((_, index) => subjects[index]?.includes(projectId));
    const lines = json.stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(expected);
    expect(listening.stderr).toMatch(/\nThe queue and its subscription are removed.\n$/);
    expect([await queues(), await subscriptions()]).toEqual([[], 0]);
  });

  it('leave no queue behind when the topic refuses', async () => {
    const topicArn = 'arn:aws:sns:us-east-1:000000000000:none';
    const env = { TMPDIR: await leaveAddress({ topicArn }) };
    const { code, stderr } = await runCli(['listen', '--local'], { env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\nlisten failed: NotFound.*\n$/)]);
    expect(await queues()).toEqual([]);
  });

  it('list what can be triggered', async () => {
    expect((await run('trigger')).stdout).toContain('project.created\nproject.updated\n');
    const { code, stderr } = await run('trigger', 'floorplan.update');
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'There is no change "floorplan.update".']);
    expect((await run('trigger', 'project.restored')).stderr).toBe(
      'trigger failed: there is no entity to restore project.\nTrigger a change that makes one before.\n',
    );
  });
});
