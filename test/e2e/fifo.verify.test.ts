import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { startGate, type Gate } from './gate.ts';
import {
  endLease,
  eventOf,
  killWhilePublishing,
  startProxiedStack,
  type ProxiedStack,
} from './stack.ts';

const FLOORPLANS = 300;

let stack: ProxiedStack<Gate>;
let subscriber: Subscriber;
let projectId: string;
let planIds: string[];

beforeAll(async () => {
  stack = await startProxiedStack('sns', startGate, {
    topicType: 'fifo',
    archiveDays: 7,
    subscribers: [
      {
        name: 'declared',
        protocol: 'sqs',
        endpoint: 'arn:aws:sqs:eu-central-1:123456789012:declared.fifo',
        filterPolicy: { action: ['updated'] },
      },
    ],
  });
  subscriber = await stack.subscribe();
  projectId = stack.service.world.projects.create({ name: 'Harbour Office' }).id;
  await stack.invoke();
});

afterAll(() => stack.close());

describe('a deployment with a FIFO topic', () => {
  it('delivers each event once although a killed run had published some of them', async () => {
    const { floorplans } = stack.service.world;
    planIds = Array.from(
      { length: FLOORPLANS },
      (_, n) => floorplans.create(projectId, { name: `Level ${n}` }).id,
    );
    await killWhilePublishing(stack, 11);
    const delivered = (await subscriber.drain()).map(eventOf);
    expect(delivered).toHaveLength(110);
    await endLease(stack);
    // Those of the group that was not saved yet are published again, by their ids.
    const { events } = await stack.invoke();
    expect(events.created).toBeGreaterThan(FLOORPLANS - delivered.length);
    delivered.push(...(await subscriber.drain()).map(eventOf));
    expect(delivered.map(({ partitionkey }) => partitionkey).sort()).toEqual(planIds.toSorted());
  });

  it('delivers the events of one entity in their order', async () => {
    const { floorplans } = stack.service.world;
    const changed = planIds.slice(0, 15);
    const names = ['first', 'second', 'third'];
    for (const name of names) {
      for (const id of changed) floorplans.list(projectId).update(id, { name });
      await stack.invoke();
    }
    const events = (await subscriber.drain()).map(eventOf);
    expect(events).toHaveLength(changed.length * names.length);
    for (const id of changed) {
      const ofOne = events.filter(({ partitionkey }) => partitionkey === id);
      expect(ofOne.map(({ data }) => data.object.name)).toEqual(names);
      expect(ofOne.map(({ sequence }) => sequence)).toEqual(
        ofOne.map(({ sequence }) => sequence).toSorted(),
      );
    }
  });
});
