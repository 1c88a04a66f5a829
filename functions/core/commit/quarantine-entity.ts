import { deduplicate, invalidKey, invalidState } from '../changes/invalid-entity.ts';
import { chunksOf } from '../model/chunks.ts';
import type { InvalidEntity } from '../model/entity.ts';
import type { RefusedEvent } from '../ports/event-topic.ts';
import type { QuarantinedItem } from '../ports/quarantine.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';

/** Where the items of a quarantine come from. */
type Origin = Pick<CommitTarget, 'feed' | 'requestedCursor'>;

/** Items that are quarantined and remembered at once: a page may have tens of thousands. */
const QUARANTINE_CHUNK = 500;
/** Of each chunk so many items are logged. */
const MAX_LOGGED = 10;

/**
 * Quarantines invalid entities and remembers them, so that no later failure repeats this.
 *
 * @returns how many were not yet in the quarantine.
 */
export async function quarantineEntities(
  invalid: readonly InvalidEntity[],
  origin: Origin,
  context: CommitContext,
): Promise<number> {
  if (invalid.length === 0) return 0;
  const { store } = context.ports;
  const kept = await store.loadStates(origin.feed.id, invalid.map(invalidKey));
  const found = deduplicate(invalid).filter((item) => !kept.has(invalidKey(item)));
  for (const chunk of chunksOf(found, QUARANTINE_CHUNK)) {
    await quarantine(chunk, origin, context);
    await store.saveStates(origin.feed.id, chunk.map(invalidState));
  }
  return found.length;
}

/** Quarantines the events that the topic refused. */
export async function quarantineEvents(
  refused: readonly RefusedEvent[],
  origin: Origin,
  context: CommitContext,
): Promise<void> {
  for (const chunk of chunksOf(refused, QUARANTINE_CHUNK)) {
    const items = chunk.map(({ event, reason }) => ({ value: event, reason }));
    await quarantine(items, origin, context);
  }
}

async function quarantine(
  items: readonly Pick<QuarantinedItem, 'value' | 'reason'>[],
  { feed, requestedCursor }: Origin,
  { ports, summary }: CommitContext,
): Promise<void> {
  const { telemetry } = ports;
  const origin = {
    feed: feed.id,
    ...(requestedCursor !== undefined && { cursor: requestedCursor }),
  };
  await ports.quarantine.put(items.map(({ value, reason }) => ({ ...origin, reason, value })));
  summary.quarantined += items.length;
  telemetry.count('Quarantined', items.length);
  for (const { reason } of items.slice(0, MAX_LOGGED))
    telemetry.warn('An entity or event was quarantined', { ...origin, reason });
  if (items.length > MAX_LOGGED) {
    const quarantined = items.length - MAX_LOGGED;
    telemetry.warn('Further entities or events were quarantined', { ...origin, quarantined });
  }
}
