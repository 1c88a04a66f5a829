import { rm } from 'node:fs/promises';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChangedAnswer, JobsStatus } from '../../functions/control/protocol.ts';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { runCli } from '../support/run-cli.ts';
import { leaveAddressOf } from './leave-address.ts';
import { pollUntilEnd } from './poll-until-end.ts';
import { startTestStack, takeEvents, type TestStack } from './stack.ts';

let stack: TestStack;
let folder: string;
let subscriber: Subscriber;
let projectId: string;
/** Ids of the project's floorplans, as the service has them. */
const floorplans = () =>
  stack.service.world.floorplans
    .list(projectId)
    .all()
    .filter(({ deleted_at }) => deleted_at === null)
    .map(({ id }) => id);

beforeAll(async () => {
  // Everything is older than the lookback.
  stack = await startTestStack({ lookbackSeconds: 0 });
  subscriber = await stack.subscribe();
  projectId = stack.service.world.projects.all()[0]?.id ?? '';
  stack.service.world.atOnce(() => {
    for (let n = 0; n < 5; n += 1)
      stack.service.world.floorplans.create(projectId, { name: `F${n}` });
  });
  for (let n = 0; n < 3; n += 1) await stack.invoke();
  folder = await leaveAddressOf(stack);
});

afterAll(async () => {
  await stack.close();
  await rm(folder, { recursive: true });
});

/** What the command line prints of a reconciliation of the project, while the poller runs. */
async function reconcile(...flags: string[]) {
  const args = ['reconcile', '--local', '--project', projectId, '--json', ...flags];
  const reconciling = runCli(args, { env: { TMPDIR: folder } });
  const { stdout, stderr, code } = await pollUntilEnd(stack, reconciling);
  const answer = JSON.parse(stdout) as ChangedAnswer & { readonly jobs: JobsStatus };
  return { ...answer, stderr, code };
}

it('heals states that were deleted behind its back', async () => {
  await subscriber.drain();
  const lost = floorplans().slice(0, 2);
  const pk = { S: `state#projects/${projectId}/floorplans` };
  await stack.clients.dynamodb.send(
    new BatchWriteItemCommand({
      RequestItems: {
        [stack.tableName]: lost.map((id) => ({
          DeleteRequest: { Key: { pk, sk: { S: `floorplan#${id}` } } },
        })),
      },
    }),
  );
  const { jobs, code } = await reconcile();
  expect(jobs).toMatchObject({ outcomes: { compared: 2 }, counts: { events: 2 } });
  expect(code).toBe(0);
  expect(await takeEvents(subscriber)).toEqual(lost.map((id) => `floorplan.created ${id}`).sort());
});

it('deletes nothing because of a list that is empty by mistake, and says so', async () => {
  const path = `/api/v3/projects/${projectId}/floorplans`;
  stack.service.behaviour.faults = [{ kind: 'empty_list', path }];
  const { jobs, code, stderr } = await reconcile();
  const list = `projects/${projectId}/floorplans`;
  expect(jobs).toMatchObject({
    outcomes: { compared: 1, stopped: 1 },
    problems: [{ list, outcome: 'stopped' }],
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 list was not reconciled.')]);
  const forced = await reconcile('--force');
  expect(forced.jobs).toMatchObject({ counts: { hidden: floorplans().length } });
  expect(forced.jobs.counts).not.toHaveProperty('events');
  expect(await takeEvents(subscriber)).toEqual([]);
  stack.service.behaviour.faults = [];
});
