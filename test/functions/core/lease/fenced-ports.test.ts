import { expect, test } from 'vitest';
import { fencePorts } from '../../../../functions/core/lease/fenced-ports.ts';
import { intercept } from '../../../support/intercept.ts';
import { MemoryQuarantine } from '../../../support/memory-quarantine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { MemoryTopic } from '../../../support/memory-topic.ts';
import { endedPermit, eventOf, feedOf, knownOf, permitFor } from '../../../support/samples.ts';

const FEED = feedOf({ projectId: 'p' });
const LEASE = { shard: '0', owner: 'run', expiresAt: 60_000 };

/** Ports whose calls are noted. */
function notedPorts() {
  const calls: string[] = [];
  const note = <Port extends object>(port: Port): Port =>
    intercept(port, ({ name, proceed }) => {
      calls.push(name);
      return proceed();
    });
  const [store, topic, quarantine] = [new MemoryStore(), new MemoryTopic(), new MemoryQuarantine()];
  const ports = { store: note(store), topic: note(topic), quarantine: note(quarantine) };
  return { ports, calls };
}

test.each([
  ['addFeeds', ({ store }: ReturnType<typeof fencePorts>) => store.addFeeds([FEED])],
  [
    'savePollHistory',
    ({ store }: ReturnType<typeof fencePorts>) => store.savePollHistory([0], new Uint8Array()),
  ],
  ['commitFeed', ({ store }: ReturnType<typeof fencePorts>) => store.commitFeed(FEED)],
  [
    'saveStates',
    ({ store }: ReturnType<typeof fencePorts>) => store.saveStates(FEED.id, [knownOf('1')]),
  ],
  ['publish', ({ topic }: ReturnType<typeof fencePorts>) => topic.publish([eventOf('1')])],
  ['put', ({ quarantine }: ReturnType<typeof fencePorts>) => quarantine.put([])],
])('a run that lost its lease does not %s', async (_, change) => {
  const { ports, calls } = notedPorts();
  const { guard, loss } = endedPermit();
  await expect(change(fencePorts(ports, guard))).rejects.toBe(loss);
  expect(calls).toEqual([]);
});

test('a run that holds its lease changes what it wants, and reads whether it holds it or not', async () => {
  const { ports, calls } = notedPorts();
  const { store, topic, quarantine } = fencePorts(ports, permitFor(50).guard);
  expect(await store.addFeeds([FEED])).toEqual([]);
  expect(await store.addFeeds([FEED])).toEqual([FEED.id]);
  await store.savePollHistory([...Array(16).keys()], new Uint8Array([7]));
  expect((await store.commitFeed(FEED)).revision).toBe(1);
  await store.saveStates(FEED.id, [knownOf('1')]);
  expect(await topic.publish([eventOf('1')])).toEqual([]);
  await quarantine.put([]);
  expect(calls.splice(0)).toEqual([
    'addFeeds',
    'addFeeds',
    'savePollHistory',
    'commitFeed',
    'saveStates',
    'publish',
    'put',
  ]);

  const ended = fencePorts(ports, endedPermit().guard).store;
  const all = [...Array(16).keys()];
  expect(await ended.loadShard(all)).toMatchObject({
    feeds: [{ id: FEED.id }],
    plan: new Uint8Array([7]),
  });
  expect(await ended.loadFeeds([...Array(16).keys()])).toHaveLength(1);
  expect((await ended.loadStates(FEED.id, [knownOf('1').key])).size).toBe(1);
  expect(await ended.loadChildStates(FEED.id, 'floorplan#')).toHaveLength(1);
  expect(await ended.acquireLease(LEASE, 0)).toBe(true);
  await ended.renewLease(LEASE);
  await ended.releaseLease(LEASE);
  expect(await ended.acquireLease({ ...LEASE, owner: 'other' }, 0)).toBe(true);
});
