import { detectLast, type Detected } from '../changes/detect-changes.ts';
import type { Identity } from '../changes/place.ts';
import { withExpiry, type EntityKey, type EntityState } from '../model/entity-state.ts';
import { PublishFailedError } from '../model/errors.ts';
import type { CommitTarget } from './commit-context.ts';
import { eventMakerOf } from './event-maker.ts';
import { quarantineEntities, quarantineEvents } from './quarantine-entity.ts';

/**
 * Publishes changes and saves their states. Changes without a trace in the service are saved as
 * unpublished first: after a crash {@link loadStates} publishes them.
 */
export async function publishAndSave(
  detected: readonly Detected[],
  target: CommitTarget,
): Promise<void> {
  await save(detected.flatMap(asUnpublished), target);
  await publish(detected, target);
  const states = detected.map(({ state }) => state);
  await save(states, target);
}

function asUnpublished({ state, change, isWrittenAhead }: Detected): EntityState[] {
  if (change === undefined || !isWrittenAhead) return [];
  return [{ ...state, unpublished: { previous: change.previous } }];
}

/**
 * Publishes changes. Events that the topic refuses go to the quarantine.
 *
 * @returns how many events the topic has taken.
 */
export async function publish(
  detected: readonly Detected[],
  target: CommitTarget,
): Promise<number> {
  const { ports, summary } = target.run;
  const { topic, telemetry, clock } = ports;
  const events = detected.flatMap(({ event }) => event ?? []);
  if (events.length === 0) return 0;
  const refused = await topic.publish(events).catch((error: unknown) => {
    if (error instanceof PublishFailedError) {
      telemetry.count('PublishFailures', 1);
      telemetry.count('EventsPublished', error.acceptedCount);
    }
    throw error;
  });
  const refusedEvents = new Set(refused.map(({ event }) => event));
  const now = clock.now();
  for (const { change, event } of detected) {
    if (change === undefined || event === undefined || refusedEvents.has(event)) continue;
    summary.events[change.action] += 1;
    // A reconciled change has no lag of polling. Clocks differ: no lag is negative.
    const lagSeconds = Math.max(0, (now - Date.parse(event.time)) / 1000);
    if (event.cause === 'poll') telemetry.observe('EventLagSeconds', lagSeconds);
  }
  const publishedCount = events.length - refused.length;
  telemetry.count('EventsPublished', publishedCount);
  await quarantineEvents(refused, target);
  return publishedCount;
}

async function save(states: readonly EntityState[], { feed, run }: CommitTarget): Promise<void> {
  if (states.length === 0) return;
  const { ports, options } = run;
  const now = ports.clock.now();
  const toSave = states.map((state) => withExpiry(state, now, options.retentionMs));
  await ports.store.saveStates(feed.id, toSave);
}

/**
 * Loads the states of entities. Unpublished ones are published first, as they are. One whose
 * content was too large to keep is published with its next change.
 */
export async function loadStates(
  entities: readonly Identity[],
  target: CommitTarget,
): Promise<ReadonlyMap<EntityKey, EntityState>> {
  if (entities.length === 0) return new Map();
  const keys = entities.map(({ key }) => key);
  const states = await target.run.ports.store.loadStates(target.feed.id, keys);
  const unpublished = entities.filter(({ key }) => states.get(key)?.unpublished !== undefined);
  const { detected, invalid } = detectLast(unpublished, states, eventMakerOf(target));
  await quarantineEntities(invalid, target);
  await publish(detected, target);
  const published = detected.map(({ state }) => state);
  await save(published, target);
  for (const state of published) states.set(state.key, state);
  return states;
}
