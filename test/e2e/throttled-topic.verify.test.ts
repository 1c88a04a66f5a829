import { expect, it, onTestFinished } from 'vitest';
import { startProxiedStack } from './stack.ts';
import { startThrottledTopic } from './throttled-topic.ts';

const PROJECTS = 8;
const FLOORPLANS = 50;
/** So many take 13 seconds: longer than a batch is sent again if the topic fails. */
const MESSAGES_PER_SECOND = 30;

it('an import beyond the quota of the topic is published once, by one run', async () => {
  const throttled = (sns: string) => startThrottledTopic(sns, MESSAGES_PER_SECOND);
  const stack = await startProxiedStack('sns', throttled);
  onTestFinished(() => stack.close());
  const { projects, floorplans } = stack.service.world;
  const ids = Array.from({ length: PROJECTS }, (_, n) => projects.create({ name: `P${n}` }).id);
  await stack.invoke();
  for (const id of ids)
    for (let n = 0; n < FLOORPLANS; n += 1) floorplans.create(id, { name: `Level ${n}` });
  const summary = await stack.invoke();
  expect(summary).toMatchObject({ waiting: 0, events: { created: PROJECTS * FLOORPLANS } });
  expect(stack.proxy.counts.throttled).toBeGreaterThan(0);
  expect(stack.logs.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
});
