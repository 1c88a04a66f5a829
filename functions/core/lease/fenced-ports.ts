import { type LeaseGuard } from '../ports/lease-guard.ts';
import { type EventTopic } from '../ports/event-topic.ts';
import { type Quarantine } from '../ports/quarantine.ts';
import { type StateStore } from '../ports/state-store.ts';

/** The ports through which a run changes something. */
export interface ChangingPorts {
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
}

/**
 * The ports of a run that holds a lease: before anything is changed, the lease is looked at. So a run
 * that stood still and goes on neither publishes nor saves over what the lease's next owner did. Saving
 * and publishing, which take many calls, look at it before each.
 */
export function fencePorts(
  { store, topic, quarantine }: ChangingPorts,
  guard: LeaseGuard,
): ChangingPorts {
  return {
    store: {
      openTable: () => store.openTable(guard),
      acquireLease: (lease, now) => store.acquireLease(lease, now),
      renewLease: (lease) => store.renewLease(lease),
      releaseLease: (lease) => store.releaseLease(lease),
      loadShard: (partitions) => store.loadShard(partitions),
      loadFeeds: (partitions) => store.loadFeeds(partitions),
      loadStates: (feedId, keys) => store.loadStates(feedId, keys),
      loadChildStates: (feedId, prefix) => store.loadChildStates(feedId, prefix),
      async savePollHistory(partitions, packed) {
        guard.assertHeld();
        await store.savePollHistory(partitions, packed);
      },
      async addFeeds(feeds) {
        guard.assertHeld();
        return store.addFeeds(feeds);
      },
      async commitFeed(feed) {
        guard.assertHeld();
        return store.commitFeed(feed);
      },
      async saveStates(feedId, known) {
        guard.assertHeld();
        await store.saveStates(feedId, known, guard);
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
