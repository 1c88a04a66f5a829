import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import {
  endLease,
  eventOf,
  killWhilePublishing,
  startGatedStack,
  type GatedStack,
} from './stack.ts';

const FLOORPLANS = 1000;

let stack: GatedStack;

beforeAll(async () => {
  stack = await startGatedStack({ leaseSeconds: 15 });
});

afterAll(() => stack.close());

it('A run that is killed in the middle of a page loses nothing: the next repeats its events by id', async () => {
  const { projects, floorplans } = stack.service.world;
  const projectId = projects.create({ name: 'Harbour Office' }).id;
  await stack.invoke();
  const created = Array.from({ length: FLOORPLANS }, (_, n) =>
    floorplans.create(projectId, { name: `Level ${n}` }),
  );

  // The process dies when a part of the page is published.
  const subscriber = await stack.subscribe({ raw: true });
  await killWhilePublishing(stack, 30);
  const before = await subscriber.drain();
  expect(before).toHaveLength(300);

  // Its lease keeps others out until it ends.
  expect(await stack.invoke()).toMatchObject({ leaseHeld: true });
  await endLease(stack);
  expect(await stack.invoke()).toMatchObject({ events: { created: FLOORPLANS }, failing: 0 });

  const after = (await subscriber.drain()).map(eventOf);
  expect(new Set(after.map(({ partitionkey }) => partitionkey))).toEqual(
    new Set(created.map(({ id }) => id)),
  );
  const again = new Map(after.map((event) => [event.id, withoutRecordedTime(event)]));
  for (const event of before.map(eventOf)) {
    expect(again.get(event.id)).toBe(withoutRecordedTime(event));
  }
  expect(await stack.invoke()).toMatchObject({ events: { created: 0, updated: 0 } });
});

function withoutRecordedTime({ recordedtime, ...rest }: ChangeEvent): string {
  return JSON.stringify(rest);
}
