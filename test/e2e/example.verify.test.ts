import { describe, expect, it, onTestFinished } from 'vitest';
import { readExample } from '../../infra/config/select-stages.ts';
import { eventOf, startTestStack, takeEvents, type TestStack } from './stack.ts';

interface Stage extends Record<string, unknown> {
  readonly subscribers: readonly { readonly protocol: string; readonly endpoint: string }[];
}

// A run would poll for 45 seconds, and the service has other projects than the example selects.
const { pollEverySeconds, projects, ...standard } = readExample()['example'] as Stage;
/** The same with a FIFO topic, which delivers to queues only. */
const fifo: Stage = {
  ...standard,
  topicType: 'fifo',
  subscribers: standard.subscribers
    .filter(({ protocol }) => !['lambda', 'firehose'].includes(protocol))
    .map((each) => ({
      ...each,
      ...(each.protocol === 'sqs' && { endpoint: `${each.endpoint}.fifo` }),
    })),
};

/** Polls all lists: the runs of one shard leave orders for the other. */
async function poll(stack: TestStack): Promise<void> {
  for (let n = 0; n < 2; n += 1) await stack.invokeAll();
}

describe('The example, with everything switched on and two shards', () => {
  it.each([
    ['standard', standard],
    ['fifo', fifo],
  ])('publishes the changes, with a %s topic', { timeout: 60_000 }, async (_, config) => {
    const stack = await startTestStack(config);
    onTestFinished(() => stack.close());
    const subscriber = await stack.subscribe();
    const { projects, floorplans } = stack.service.world;
    await poll(stack);
    await subscriber.drain();
    const tower = projects.create({ name: 'Tower 17' });
    const bridge = projects.create({ name: 'Bridge 17' });
    const level = floorplans.create(tower.id, { name: 'Level 1' });
    const deck = floorplans.create(bridge.id, { name: 'Deck' });
    await poll(stack);
    expect(await takeEvents(subscriber)).toEqual(
      [
        `floorplan.created ${level.id}`,
        `floorplan.created ${deck.id}`,
        `project.created ${tower.id}`,
        `project.created ${bridge.id}`,
      ].sort(),
    );
    floorplans.list(tower.id).update(level.id, { name: 'Level 2' });
    await poll(stack);
    const orders = stack.declaredSubscribers.find(({ name }) => name === 'orders');
    const delivered = (await orders?.drain())
      ?.map(eventOf)
      .filter(({ projectid }) => projectid === tower.id)
      .map(({ type }) => type);
    expect(delivered?.toSorted()).toEqual([
      'floorplan.created',
      'floorplan.updated',
      'project.created',
    ]);
    // Node says so when it cannot read the certificates.
    expect(stack.logs.join('\n')).not.toContain('extra certs');
  });
});
