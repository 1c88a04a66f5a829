import { expect, it } from 'vitest';
import { fencePorts, type ChangingPorts } from '../../../../functions/core/lease/fenced-ports.ts';
import type { PlacedCommand } from '../../../../functions/core/model/command.ts';
import {
  noCounts,
  type ReconcileReport,
} from '../../../../functions/core/model/reconcile-report.ts';
import { recordCalls } from '../../../support/intercept.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryQuarantine } from '../../../support/memory-quarantine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { MemoryTopic } from '../../../support/memory-topic.ts';
import {
  endedGuard,
  eventOf,
  feedOf,
  orderOf,
  stateOf,
  guardFor,
} from '../../../support/samples.ts';

const FEED = feedOf({ projectId: 'p' });
const ORDER = orderOf({ projectId: 'p' });
const COMMAND: PlacedCommand = {
  partition: 3,
  command: { id: '000001', name: 'reconcile', scope: {} },
};
const REPORT: ReconcileReport = {
  partition: 3,
  commandId: '000001',
  finishedAt: timeAt(0),
  counts: noCounts(),
  problems: [],
};
const LEASE = { shard: '0', owner: 'run', expiresAt: 60_000 };

const ALL_PARTITIONS = [...Array(16).keys()];

/** Ports that record their calls. */
function recordedPorts() {
  const calls: string[] = [];
  const ports = {
    store: recordCalls(new MemoryStore(), calls),
    topic: recordCalls(new MemoryTopic(), calls),
    quarantine: recordCalls(new MemoryQuarantine(), calls),
  };
  return { ports, calls };
}

it.each([
  ['addFeeds', ({ store }: ChangingPorts) => store.addFeeds([FEED])],
  ['saveOrders', ({ store }: ChangingPorts) => store.saveOrders([ORDER])],
  ['deleteOrders', ({ store }: ChangingPorts) => store.deleteOrders([ORDER])],
  ['saveCommands', ({ store }: ChangingPorts) => store.saveCommands([COMMAND])],
  ['saveProgress', ({ store }: ChangingPorts) => store.saveProgress(COMMAND)],
  ['saveReport', ({ store }: ChangingPorts) => store.saveReport(REPORT)],
  ['deleteCommands', ({ store }: ChangingPorts) => store.deleteCommands([COMMAND])],
  ['savePollHistory', ({ store }: ChangingPorts) => store.savePollHistory([0], new Uint8Array())],
  ['commitFeed', ({ store }: ChangingPorts) => store.commitFeed(FEED)],
  ['saveStates', ({ store }: ChangingPorts) => store.saveStates(FEED.id, [stateOf('1')])],
  ['deleteStates', ({ store }: ChangingPorts) => store.deleteStates(FEED.id, [stateOf('1').key])],
  ['publish', ({ topic }: ChangingPorts) => topic.publish([eventOf('1')])],
  ['put', ({ quarantine }: ChangingPorts) => quarantine.put([])],
])('a run that lost its lease does not %s', async (_, change) => {
  const { ports, calls } = recordedPorts();
  const { guard, loss } = endedGuard();
  await expect(change(fencePorts(ports, guard))).rejects.toBe(loss);
  expect(calls).toEqual([]);
});

it('a run writes only while it holds its lease, and reads in any case', async () => {
  const { ports, calls } = recordedPorts();
  const { store, topic, quarantine } = fencePorts(ports, guardFor(50).guard);
  expect(await store.addFeeds([FEED])).toEqual([]);
  expect(await store.addFeeds([FEED])).toEqual([FEED.id]);
  await store.saveOrders([ORDER, orderOf({ projectId: 'q' })]);
  await store.deleteOrders([ORDER]);
  await store.savePollHistory(ALL_PARTITIONS, new Uint8Array([7]));
  expect((await store.commitFeed(FEED)).revision).toBe(1);
  await store.deleteStates(FEED.id, ['absent']);
  await store.saveStates(FEED.id, [stateOf('1')]);
  expect(await topic.publish([eventOf('1')])).toEqual([]);
  await quarantine.put([]);
  expect(calls.splice(0)).toEqual([
    'addFeeds',
    'addFeeds',
    'saveOrders',
    'deleteOrders',
    'savePollHistory',
    'commitFeed',
    'deleteStates',
    'saveStates',
    'publish',
    'put',
  ]);

  const ended = fencePorts(ports, endedGuard().guard).store;
  expect(await ended.loadShard(ALL_PARTITIONS)).toMatchObject({
    feeds: [{ id: FEED.id }],
    pollHistory: new Uint8Array([7]),
  });
  expect(await ended.loadFeeds(ALL_PARTITIONS)).toHaveLength(1);
  expect(await ended.loadOrders(ALL_PARTITIONS)).toHaveLength(1);
  expect(await ended.loadLayout(1)).toEqual({ generation: 0, shardCount: 1 });
  expect(await ended.closeLease({ ...LEASE, shard: '1' }, 0)).toEqual({});
  expect(await ended.saveLayout({ generation: 1, shardCount: 2 }, 0)).toBe(true);
  expect((await ended.loadStates(FEED.id, [stateOf('1').key])).size).toBe(1);
  expect(await ended.loadLiveChildren(FEED.id, 'floorplan#')).toHaveLength(1);
  expect(await ended.acquireLease(LEASE, 0)).toBeDefined();
  await ended.renewLease({ ...LEASE, expiresAt: 61_000 });
  expect(await ended.loadLease(LEASE.shard)).toMatchObject({ expiresAt: 61_000 });
  await ended.releaseLease(LEASE);
  expect(await ended.acquireLease({ ...LEASE, owner: 'other' }, 0)).toBeDefined();
});
