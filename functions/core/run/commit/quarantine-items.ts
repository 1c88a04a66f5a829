import { chunksOf } from '../../changes/groups.ts';
import { invalidState } from '../../changes/invalid-entity.ts';
import type { InvalidEntity } from '../../model/entity.ts';
import type { Feed } from '../../model/feed.ts';
import type { RefusedEvent } from '../../ports/event-topic.ts';
import type { QuarantinedItem } from '../../ports/quarantine.ts';
import type { RunContext } from '../run-context.ts';

/** The list in which an item was found. */
export interface QuarantineOrigin {
  readonly feed: Feed;
  /** See {@link FeedPage.requestedCursor}. */
  readonly requestedCursor?: string | undefined;
}

/** Items that are quarantined and remembered at once: a page may have tens of thousands. */
const QUARANTINE_CHUNK = 500;
/** Of each chunk so many items are logged. */
const MAX_LOGGED = 10;

/** Quarantines the invalid entities of a page and remembers them, so that no later failure repeats this. */
export async function quarantineEntities(
  invalid: readonly InvalidEntity[],
  origin: QuarantineOrigin,
  run: RunContext,
): Promise<void> {
  for (const chunk of chunksOf(invalid, QUARANTINE_CHUNK)) {
    await quarantine(chunk, origin, run);
    await run.ports.store.saveStates(origin.feed.id, chunk.map(invalidState));
  }
}

/** Quarantines the events that the topic refused. */
export async function quarantineEvents(
  refused: readonly RefusedEvent[],
  origin: QuarantineOrigin,
  run: RunContext,
): Promise<void> {
  for (const chunk of chunksOf(refused, QUARANTINE_CHUNK)) {
    const items = chunk.map(({ event, reason }) => ({ value: event, reason }));
    await quarantine(items, origin, run);
  }
}

async function quarantine(
  items: readonly Pick<QuarantinedItem, 'value' | 'reason'>[],
  { feed, requestedCursor }: QuarantineOrigin,
  { ports, summary }: RunContext,
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
