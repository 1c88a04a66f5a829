import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlAnswer, StatusAnswer } from '../../functions/control/protocol.ts';
import {
  LOCAL_ACCOUNT,
  LOCAL_REGION,
  sdkEnvironment,
} from '../../infra/local/embedded/endpoints.ts';
import { LambdaHost } from '../../infra/local/lambda/lambda-host.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/stack/local-stack.ts';
import { accessRequestsOf, keyRequestsOf, nameOf } from './least-privilege/access-request.ts';
import { recordCalls, type CallRecorder } from './least-privilege/call-recorder.ts';
import { decide } from './least-privilege/decision.ts';
import { KEY_POLICY, resourcePolicies, roleOf } from './least-privilege/policies.ts';
import { KEY_ARN } from './least-privilege/scenario.ts';

let stack: LocalStack;
let recorder: CallRecorder;
let host: LambdaHost;
const logs: string[] = [];

beforeAll(async () => {
  stack = await startLocalStack({
    config: { shards: 2, kmsKeyArn: KEY_ARN },
    endpointsOfFunction: async (endpoints) => {
      recorder = await recordCalls(endpoints);
      return endpoints;
    },
  });
  const definition = stack.provisioned.functions.find(({ name }) => name.includes('Control'));
  if (definition === undefined) throw new Error('the template lacks the control function');
  host = new LambdaHost(definition, {
    sdkEnvironment: sdkEnvironment(recorder.endpoints),
    onLog: (line) => logs.push(line),
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
    const { shards, totals, lists, commands } = await status();
    const projects = stack.service?.world.projects.list.all() ?? [];
    const alive = projects.filter(({ deleted_at }) => deleted_at === null);
    expect(shards).toBe(2);
    expect(totals.lists).toBe(1 + 2 * alive.length);
    expect(lists).toHaveLength(totals.lists);
    expect(lists[0]).toMatchObject({
      list: 'projects',
      state: 'live',
      lagSeconds: expect.any(Number) as number,
    });
    expect(commands).toEqual([]);
  });

  it('has a resource paused by both shards, and resumed without a loss', async () => {
    const scope = { resource: 'floorplans' };
    const world = stack.service?.world;
    const [project] = world?.projects.list.all() ?? [];
    const placed = await ask({ command: 'pause', scope });
    expect(placed).toMatchObject({ command: 'pause', id: expect.any(String) as string });
    expect((await status()).commands).toMatchObject([{ command: 'pause', partitions: 16 }]);
    await stack.invokeAll();
    const { totals, commands } = await status();
    expect(commands).toEqual([]);
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

  it('refuses what it does not understand, and logs that', async () => {
    expect(await ask({ command: 'pause', scope: { list: 'projects/1' } })).toMatchObject({
      error: { name: 'NothingInScopeError', message: 'There is no list "projects/1".' },
    });
    expect(logs.join('\n')).toContain('A request was refused');
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
  });
});
