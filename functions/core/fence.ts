import type { EventTopic, Quarantine, StateStore } from './ports.ts';

/** The ports through which a run changes something. */
export interface ChangingPorts {
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
}

/**
 * The ports of a run that holds a lease: before anything is changed, the lease is looked at. So a run
 * that stood still and goes on neither publishes nor saves over what the lease's next owner did.
 *
 * @param assertHeld throws LeaseLost when the lease is gone.
 */
export function fence({ store, topic, quarantine }: ChangingPorts, assertHeld: () => void) {
  const whileHeld =
    <Parameters extends unknown[], Result>(call: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      assertHeld();
      return call(...parameters);
    };
  return {
    store: {
      acquireLease: store.acquireLease.bind(store),
      renewLease: store.renewLease.bind(store),
      releaseLease: store.releaseLease.bind(store),
      loadFeeds: store.loadFeeds.bind(store),
      loadKnown: store.loadKnown.bind(store),
      loadKnownByPrefix: store.loadKnownByPrefix.bind(store),
      addFeeds: whileHeld(store.addFeeds.bind(store)),
      commitFeed: whileHeld(store.commitFeed.bind(store)),
      saveKnown: whileHeld(store.saveKnown.bind(store)),
    },
    topic: { publish: whileHeld(topic.publish.bind(topic)) },
    quarantine: { put: whileHeld(quarantine.put.bind(quarantine)) },
  } satisfies ChangingPorts;
}
