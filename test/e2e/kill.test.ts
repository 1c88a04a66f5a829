import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/event.ts';
import type { Delivery } from '../../infra/local/subscriber.ts';
import { endLease, eventOf, startTestStack, type TestStack } from './stack.ts';

const FLOORPLANS = 1000;

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ leaseSeconds: 15 });
});

afterAll(() => stack.close());

it('A run that is killed in the middle of a page loses nothing: the next repeats its events by id', async () => {
  const { projects, floorplans } = stack.service.world;
  const projectId = projects.create({ name: 'Harbour Office' }).id;
  await stack.invoke();
  const created = Array.from({ length: FLOORPLANS }, (_, n) =>
    floorplans.create(projectId, { name: `Level ${n}` }),
  );

  // The page's first events arrive while its others are being published: there the process dies.
  const subscriber = await stack.subscribe({ raw: true });
  const before: Delivery[] = [];
  const dead = new AbortController();
  const following = subscriber.follow((delivery) => {
    before.push(delivery);
    if (before.length === 1)
      void stack.killFunction().then(() => {
        dead.abort();
      });
  }, dead.signal);
  await expect(stack.invoke()).rejects.toThrow('Runtime.ExitError');
  await following;
  expect(before.length).toBeGreaterThan(0);
  expect(before.length).toBeLessThan(FLOORPLANS);

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
