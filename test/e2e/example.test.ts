import { afterAll, beforeAll, expect, it } from 'vitest';
import { readExample } from '../../infra/config/select-stages.ts';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { eventOf, startTestStack, takeEvents, type TestStack } from './stack.ts';

let stack: TestStack;
let subscriber: Subscriber;

beforeAll(async () => {
  const example = readExample()['example'] as Record<string, unknown>;
  // With it a run would poll for 45 seconds.
  const { pollEverySeconds, ...config } = example;
  stack = await startTestStack(config);
  subscriber = await stack.subscribe({ raw: true });
}, 60_000);

afterAll(() => stack.close());

/** Polls all lists: the runs of one shard leave orders for the other. */
async function poll(): Promise<void> {
  for (let n = 0; n < 2; n += 1) await stack.invokeAll();
}

it('The example, with everything switched on and two shards, tells the changes of the selected projects', async () => {
  const { projects, floorplans } = stack.service.world;
  await poll();
  await subscriber.drain();
  const tower = projects.create({ name: 'Tower 17' });
  const bridge = projects.create({ name: 'Bridge 17' });
  const level = floorplans.create(tower.id, { name: 'Level 1' });
  floorplans.create(bridge.id, { name: 'Deck' });
  await poll();
  expect(await takeEvents(subscriber)).toEqual(
    [
      `floorplan.created ${level.id}`,
      `project.created ${tower.id}`,
      `project.created ${bridge.id}`,
    ].sort(),
  );
  floorplans.update(tower.id, level.id, { name: 'Level 2' });
  await poll();
  const orders = stack.declaredSubscribers.find(({ name }) => name === 'orders');
  const delivered = (await orders?.drain())
    ?.map(eventOf)
    .filter(({ projectid }) => projectid === tower.id);
  expect(delivered).toMatchObject([{ type: 'floorplan.updated', data: { changed: ['name'] } }]);
  // Node says so when it cannot read the certificates.
  expect(stack.logs.join('\n')).not.toContain('extra certs');
});
