import type { LeaseGuard } from '../ports/lease-guard.ts';
import type { Ports } from '../ports/ports.ts';

/** The ports through which a run writes. */
export type ChangingPorts = Pick<Ports, 'store' | 'topic' | 'quarantine'>;

/**
 * Fences ports with a lease: each write first checks that the lease is held. So a run that was paused
 * cannot overwrite the work of the lease's next owner. Saving and publishing take many calls and check
 * before each.
 */
export function fencePorts(
  { store, topic, quarantine }: ChangingPorts,
  guard: LeaseGuard,
): ChangingPorts {
  return {
    store: {
      openTable: () => store.openTable(guard),
      checkFormat: () => store.checkFormat(),
      loadLayout: (shardCount) => store.loadLayout(shardCount),
      saveLayout: (layout, generation) => store.saveLayout(layout, generation),
      closeLease: (lease, now) => store.closeLease(lease, now),
      loadLease: (shard) => store.loadLease(shard),
      acquireLease: (lease, now) => store.acquireLease(lease, now),
      renewLease: (lease) => store.renewLease(lease),
      releaseLease: (lease) => store.releaseLease(lease),
      loadShard: (partitions) => store.loadShard(partitions),
      loadFeeds: (partitions) => store.loadFeeds(partitions),
      loadFeedsById: (feeds) => store.loadFeedsById(feeds),
      loadAllPaused: () => store.loadAllPaused(),
      saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
      loadOrders: (partitions) => store.loadOrders(partitions),
      loadCommands: (partitions) => store.loadCommands(partitions),
      loadStates: (feedId, keys) => store.loadStates(feedId, keys),
      loadStatesAfter: (feedId, after) => store.loadStatesAfter(feedId, after),
      loadLiveChildren: (feedId, prefix) => store.loadLiveChildren(feedId, prefix),
      liveVersions: (feedId, prefix) => store.liveVersions(feedId, prefix),
      async savePollHistory(partitions, encoded) {
        guard.assertHeld();
        await store.savePollHistory(partitions, encoded, guard);
      },
      async saveOrders(orders) {
        guard.assertHeld();
        await store.saveOrders(orders, guard);
      },
      async deleteOrders(orders) {
        guard.assertHeld();
        await store.deleteOrders(orders, guard);
      },
      async saveCommands(commands) {
        guard.assertHeld();
        await store.saveCommands(commands, guard);
      },
      async saveProgress(command) {
        guard.assertHeld();
        return store.saveProgress(command, guard);
      },
      async saveReport(report) {
        guard.assertHeld();
        await store.saveReport(report, guard);
      },
      async deleteCommands(commands) {
        guard.assertHeld();
        await store.deleteCommands(commands, guard);
      },
      async addFeeds(feeds) {
        guard.assertHeld();
        return store.addFeeds(feeds, guard);
      },
      async commitFeed(feed) {
        guard.assertHeld();
        return store.commitFeed(feed, guard);
      },
      async saveStates(feedId, states) {
        guard.assertHeld();
        await store.saveStates(feedId, states, guard);
      },
      async deleteStates(feedId, keys) {
        guard.assertHeld();
        await store.deleteStates(feedId, keys, guard);
      },
    },
    topic: {
      async publish(events) {
        guard.assertHeld();
        return topic.publish(events, guard);
      },
    },
    quarantine: {
      async put(items) {
        guard.assertHeld();
        await quarantine.put(items);
      },
    },
  };
}
