import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlAnswer, StatusAnswer } from '../../functions/control/protocol.ts';
import {
  LOCAL_ACCOUNT,
  LOCAL_REGION,
  sdkEnvironment,
} from '../../infra/local/embedded/endpoints.ts';
import { LambdaFunction } from '../../infra/local/lambda/lambda-function.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/stack/local-stack.ts';
import { noise } from '../support/samples.ts';
import { accessRequestsOf, keyRequestsOf, nameOf } from './least-privilege/access-request.ts';
import { recordCalls, type CallRecorder } from './least-privilege/call-recorder.ts';
import { decide } from './least-privilege/decision.ts';
import { KEY_POLICY, resourcePolicies, roleOf } from './least-privilege/policies.ts';
import { KEY_ARN } from './least-privilege/scenario.ts';

/** Nobody is there, and the service has no sheets: what operators send is all that it gets. */
const WEBHOOK = {
  ...{ name: 'orders', protocol: 'webhook', endpoint: 'http://127.0.0.1:9/' },
  ...{ allowPrivateAddress: true, filterPolicy: { entity: ['sheet'] } },
};

/** A few projects for each of the shards. */
const SITE = { projects: 4, shortProjects: 0 };

let stack: LocalStack;
let recorder: CallRecorder;
let host: LambdaFunction;
const logs: string[] = [];

beforeAll(async () => {
  stack = await startLocalStack({
    config: { shards: 2, kmsKeyArn: KEY_ARN, subscribers: [WEBHOOK] },
    service: { size: SITE },
    endpointsOfFunction: async (endpoints) => {
      recorder = await recordCalls(endpoints);
      return endpoints;
    },
  });
  const definition = stack.provisioned.functions.find(({ name }) => name.includes('Control'));
  if (definition === undefined) throw new Error('the template lacks the control function');
  host = new LambdaFunction(definition, sdkEnvironment(recorder.endpoints), (line) => {
    logs.push(line);
  });
  // The shards agree on their number, and then poll the projects, and all lists.
  for (let runs = 0; runs < 4; runs += 1) await stack.invokeAll();
});

afterAll(async () => {
  await host.kill();
  await stack.close();
  await recorder.close();
});

const ask = async (request: object): Promise<ControlAnswer> =>
  (await host.invoke(request)) as ControlAnswer;

const status = async (scope = {}): Promise<StatusAnswer> =>
  (await ask({ command: 'status', scope })) as StatusAnswer;

describe('the control function of two shards', () => {
  it('reports where every list stands', async () => {
    const { shards, totals, lists, jobs } = await status();
    const projects = stack.service?.world.projects.all() ?? [];
    const alive = projects.filter(({ deleted_at }) => deleted_at === null);
    expect(shards).toBe(2);
    expect(totals.lists).toBe(1 + 2 * alive.length);
    expect(lists).toHaveLength(totals.lists);
    expect(lists[0]).toMatchObject({
      list: 'projects',
      state: 'live',
      lagSeconds: expect.any(Number) as number,
    });
    expect(jobs).toEqual([]);
  });

  it('has a resource paused by both shards, and resumed without a loss', async () => {
    const scope = { resource: 'floorplans' };
    const world = stack.service?.world;
    const [project] = world?.projects.all() ?? [];
    expect(await ask({ command: 'pause', scope })).toMatchObject({ command: 'pause' });
    const { totals } = await status();
    expect(totals.byState.paused).toBe((await status(scope)).lists.length);
    world?.floorplans.create(project?.id ?? '', { name: 'Built meanwhile' });
    const created = async () => {
      const runs = await stack.invokeAll();
      return runs.reduce((sum, { events }) => sum + events.created, 0);
    };
    expect(await created()).toBe(0);
    await ask({ command: 'resume', scope });
    expect(await created()).toBe(1);
  });

  it('lists, shows, retries and drops what is in the quarantine', async () => {
    const { projects, floorplans } = stack.service?.world ?? {};
    const projectId = projects?.all()[0]?.id ?? '';
    const scope = { projectId, resource: 'floorplans' };
    const create = (description: string): string => {
      const { id = '' } = floorplans?.create(projectId, { name: 'Level 3', description }) ?? {};
      floorplans?.list(projectId).update(id, { deleted_at: 'never' });
      return id;
    };
    const list = async () => {
      const answer = await ask({ command: 'quarantine-list', scope });
      return 'items' in answer ? answer.items : [];
    };
    // Too large for the table.
    const description = noise(400_000);
    const id = create(description);
    const small = create('small');
    await stack.invokeAll();
    const items = await list();
    expect(await list()).toEqual(items);
    expect(items.map(({ kind, reason }) => [kind, reason.includes('deleted_at')])).toEqual([
      ['entity', true],
      ['entity', true],
    ]);
    const values: unknown[] = [];
    for (const item of items) {
      const answer = await ask({ command: 'quarantine-show', id: item.id.slice(0, 12) });
      values.push('item' in answer ? answer.item.value : answer);
    }
    expect(values).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, description }),
        expect.objectContaining({ id: small, description: 'small' }),
      ]),
    );
    floorplans?.list(projectId).restore(id);
    const retried = await ask({ command: 'quarantine-retry', all: true, scope });
    expect(retried).toMatchObject({ items: { length: 2 }, skipped: [] });
    expect(await list()).toEqual([]);
    const runs = await stack.invokeAll();
    expect(runs.reduce((sum, { events }) => sum + events.created, 0)).toBe(1);
    const [again, ...others] = await list();
    expect([again?.reason.includes('deleted_at'), others]).toEqual([true, []]);
    const drop = { command: 'quarantine-drop', ids: [again?.id.slice(0, 8)] };
    expect(await ask({ ...drop, dryRun: true })).toMatchObject({ items: [{ id: again?.id }] });
    expect(await ask(drop)).toMatchObject({ items: [{ id: again?.id }] });
    expect(await list()).toEqual([]);
  });

  it('switches a webhook, tests it, and sends its dead letters again', async () => {
    const about = (command: string, fields = {}) => ask({ command, name: 'orders', ...fields });
    await about('webhook-disable');
    const { DeadLettersUrlorders: QueueUrl } = stack.provisioned.outputs;
    for (const time of ['2024-01-01T00:00:00Z', '2026-01-01T00:00:00Z']) {
      const MessageBody = JSON.stringify({ time });
      await stack.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    }
    const since = '2025-01-01T00:00:00Z';
    expect(await about('webhook-resend', { since })).toMatchObject({ resentCount: 1 });
    await about('webhook-test');
    expect(await ask({ command: 'webhook-list' })).toMatchObject({
      webhooks: [{ state: 'disabled', disabledBy: 'operator', waitingCount: 2, deadCount: 1 }],
    });
    await about('webhook-enable');
    expect(await about('webhook-attempts')).not.toHaveProperty('error');
  });

  it('refuses what it does not understand, and logs that', async () => {
    logs.length = 0;
    expect(await ask({ command: 'pause', scope: { list: 'projects/1' } })).toMatchObject({
      error: { name: 'RequestRefusedError', message: 'There is no list "projects/1".' },
    });
    expect(logs.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        message: 'A request was refused',
        request: { command: 'pause', scope: { list: 'projects/1' } },
        refusal: expect.objectContaining({ message: 'There is no list "projects/1".' }) as object,
      }),
    ]);
  });

  it('has a role that allows its calls, and nothing else', async () => {
    const { arn } = host.definition;
    const role = roleOf(stack, arn);
    const logStream = `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${host.definition.logGroup}:log-stream:1`;
    const requests = [
      ...accessRequestsOf(recorder.calls(), stack.provisioned),
      { action: 'logs:CreateLogStream', resource: logStream },
      { action: 'logs:PutLogEvents', resource: logStream },
    ];
    requests.push(...keyRequestsOf(requests, KEY_ARN));
    const policies = new Map([...resourcePolicies(stack), [KEY_ARN, KEY_POLICY]]);
    const decisions = await Promise.all(
      requests.map(async (request) => ({ request, ...(await decide(request, role, policies)) })),
    );
    const denied = decisions.filter(({ result }) => result !== 'Allowed');
    expect(denied.map(({ request }) => nameOf(request))).toEqual([]);
    const used = new Set(decisions.flatMap(({ grants }) => grants));
    expect(role.grants.filter((grant) => !used.has(grant)).map(nameOf)).toEqual([]);
    const write = requests.find(({ action }) => action === 'dynamodb:BatchWriteItem');
    const result = async (partition: string) =>
      write && (await decide({ ...write, partition }, role, policies)).result;
    expect(await result('quarantine')).toBe('Allowed');
    for (const partition of ['state#projects', 'shard#0'])
      expect(await result(partition)).toBe('ImplicitlyDenied');
  });
});
