import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { eventCountOf } from '../../../infra/local/console/session/format-run.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../../infra/local/embedded/endpoints.ts';
import type { Simulator } from '../../../infra/local/simulator/simulator.ts';
import type { LocalStack } from '../../../infra/local/stack/local-stack.ts';

/** The operator's own key, which encrypts everything. */
export const KEY_ARN = `arn:aws:kms:${LOCAL_REGION}:${LOCAL_ACCOUNT}:key/876c7fcc-4f08-4090-945e-d20f16c243ec`;

/** Config that the scenario needs: nested items, and shards that add lists of each other. */
export const SCENARIO_CONFIG = {
  shards: 2,
  serviceVersion: '2021-03-01',
  kmsKeyArn: KEY_ARN,
};

/** Makes the poller use all its calls. */
export async function makePollerDoEverything(stack: LocalStack, service: Simulator): Promise<void> {
  const content = fillProject(service);
  // Adds feeds and records the baseline.
  expect(await runShards(stack)).toMatchObject({ waiting: 0 });
  await runWithChangesAndTrouble(stack, service, content);
  await runAfterRotation(stack, service);
  await runBesideAnother(stack);
}

/** Runs both shards, and the first one again for the lists that the second one has added. */
async function runShards(stack: LocalStack) {
  const [first, second, last] = [
    await stack.invoke(0),
    await stack.invoke(1),
    await stack.invoke(0),
  ];
  const all = [first, second, last];
  expect(all.map(({ leaseHeld }) => leaseHeld)).toEqual([false, false, false]);
  return {
    waiting: second.waiting + last.waiting,
    quarantined: all.reduce((sum, { quarantined }) => sum + quarantined, 0),
    eventCount: all.reduce((sum, summary) => sum + eventCountOf(summary), 0),
  };
}

interface Content {
  readonly projectId: string;
  readonly floorplanId: string;
  readonly checklistId: string;
  readonly itemId: string;
}

function fillProject({ world }: Simulator): Content {
  const { projects, floorplans, checklists } = world;
  const { id: projectId } = projects.create({ name: 'Harbour Office' });
  const { id: floorplanId } = floorplans.create(projectId, { name: 'Level 1' });
  const { id: checklistId } = checklists.create(projectId, { name: 'Fire doors' });
  const { template_check_items: items } = checklists.addItem(projectId, checklistId, {
    name: 'Seal',
  });
  return { projectId, floorplanId, checklistId, itemId: items.at(-1)?.id ?? '' };
}

/**
 * An item is missing from its list, an event is too large for the topic, an invalid entity is too
 * large for the table, and a list fails.
 */
async function runWithChangesAndTrouble(
  stack: LocalStack,
  { world, behaviour }: Simulator,
  { projectId, floorplanId, checklistId, itemId }: Content,
): Promise<void> {
  const { projects, floorplans, checklists } = world;
  floorplans.list(projectId).update(floorplanId, { name: 'Level 1, revised' });
  floorplans.create(projectId, { name: 'Level 2', description: 'x'.repeat(300_000) });
  // No entity of the service has such a name, so nothing but a cast brings it into the world.
  const large = { name: 'Level 3', description: 'x'.repeat(10_000) };
  const { id } = floorplans.create(projectId, large);
  floorplans.list(projectId).update(id, { deleted_at: 'never' });
  behaviour.deletedItems = 'left_out';
  checklists.updateItem({ projectId, checklistId, itemId }, (time) => ({ deleted_at: time }));
  const { id: failing } = projects.create({ name: 'Annex' });
  const path = `/api/v3/projects/${failing}/floorplans`;
  behaviour.faults = [{ kind: 'status', status: 422, path }];
  expect(await runShards(stack)).toEqual({ waiting: 1, quarantined: 1, eventCount: 5 });
  behaviour.faults = [];
}

/** The refresh token that is known is refused, so the secret is read again. */
async function runAfterRotation(stack: LocalStack, { tokens }: Simulator): Promise<void> {
  tokens.rotateRefreshToken();
  tokens.expireAccessTokens();
  await stack.putRefreshToken(tokens.refreshToken);
  expect(await runShards(stack)).toMatchObject({ waiting: 1 });
}

async function runBesideAnother(stack: LocalStack): Promise<void> {
  await stack.clients.dynamodb.send(
    new PutItemCommand({
      TableName: stack.tableName,
      Item: {
        pk: { S: 'table' },
        sk: { S: 'lease' },
        p0: { M: { owner: { S: 'another run' }, until: { N: String(Date.now() + 60_000) } } },
      },
    }),
  );
  expect(await stack.invoke()).toMatchObject({ leaseHeld: true });
}
