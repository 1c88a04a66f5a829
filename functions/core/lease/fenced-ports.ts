import { type Permit } from '../ports/lease-guard.ts';
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
export function fence({ store, topic, quarantine }: ChangingPorts, permit: Permit): ChangingPorts {
  return {
    store: {
      acquireLease: (lease, now) => store.acquireLease(lease, now),
      renewLease: (lease) => store.renewLease(lease),
      releaseLease: (lease) => store.releaseLease(lease),
      loadShard: (partitions) => store.loadShard(partitions),
      loadFeeds: (partitions) => store.loadFeeds(partitions),
      loadKnown: (feedId, keys) => store.loadKnown(feedId, keys),
      loadKnownByPrefix: (feedId, prefix) => store.loadKnownByPrefix(feedId, prefix),
      async savePlan(partitions, packed) {
        permit.check();
        await store.savePlan(partitions, packed);
      },
      async addFeeds(feeds) {
        permit.check();
        return store.addFeeds(feeds);
      },
      async commitFeed(feed) {
        permit.check();
        return store.commitFeed(feed);
      },
      async saveKnown(feedId, known) {
        permit.check();
        await store.saveKnown(feedId, known, permit);
      },
    },
    topic: {
      async publish(events) {
        permit.check();
        return topic.publish(events, permit);
      },
    },
    quarantine: {
      async put(items) {
        permit.check();
        await quarantine.put(items);
      },
    },
  };
}
