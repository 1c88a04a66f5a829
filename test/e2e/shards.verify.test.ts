import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { eventOf, startTestStack, type TestStack } from './stack.ts';

const CONFIG = { requestsPerMinute: 60_000 };
/** In all of which changes go on. */
const SHARDS = [4, 2];

let stack: TestStack;
let subscriber: Subscriber;

beforeAll(async () => {
  stack = await startTestStack(CONFIG);
  subscriber = await stack.subscribe();
});

afterAll(() => stack.close());

it('Nothing is lost, and repeats have the same id, while the number of shards goes from 1 to 4 and to 2', async () => {
  const { projects, floorplans } = stack.service.world;
  const told: string[] = [];
  const ids = new Set<string>();
  const expected: string[] = [];
  const created: { id: string; project_id: string }[] = [];
  const create = (name: string): void => {
    for (let n = 0; n < 4; n += 1) {
      const project = projects.create({ name });
      const floorplan = floorplans.create(project.id, { name });
      created.push(floorplan);
      expected.push(`project.created ${project.id}`, `floorplan.created ${floorplan.id}`);
    }
  };
  const renameAll = (name: string): void => {
    for (const { id, project_id } of created) {
      floorplans.list(project_id).update(id, { name });
      expected.push(`floorplan.updated ${id}`);
    }
  };
  /** Runs all pollers side by side, as each tick does. */
  const tick = async (): Promise<void> => {
    await stack.invokeAll();
    for (const { id, type, partitionkey } of (await subscriber.drain()).map(eventOf)) {
      // A run that finds its feed changed meanwhile repeats what it has published.
      if (!ids.has(id)) told.push(`${type} ${partitionkey}`);
      ids.add(id);
    }
  };
  await tick();
  expect(told.splice(0)).toEqual([]);
  for (const [phase, shards] of SHARDS.entries()) {
    create(`before ${phase}`);
    // The runs of the old deployment have not ended when those of the new one begin.
    const old = stack.invokeAll();
    await stack.redeploy({ ...CONFIG, shards });
    const early = tick();
    create(`during ${phase}`);
    await Promise.all([old, early]);
    expect(await stack.invokeAll()).toHaveLength(shards);
    // A run polls the projects, then a run of each shard their lists.
    for (let n = 0; n < 3; n += 1) await tick();
    renameAll(`after ${phase}`);
    await tick();
    expect(told.splice(0).sort()).toEqual(expected.splice(0).sort());
  }
  expect(stack.logs.join('\n')).not.toContain('Run failed');
});
