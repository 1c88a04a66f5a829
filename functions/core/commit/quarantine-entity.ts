import { identityOf } from '../changes/invalid-entity.ts';
import { chunksOf } from '../model/chunks.ts';
import { validIdOf, type InvalidEntity, type JsonObject } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { parseTimestamp, toFixedWidth } from '../model/timestamp.ts';
import type { RefusedEvent } from '../ports/event-topic.ts';
import type { QuarantinedItem } from '../ports/quarantine.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';

/** Items that are kept at once: a page may have tens of thousands. */
const CHUNK = 500;
/** Of each chunk so many items are logged. */
const MAX_LOGGED = 10;

/** Quarantines invalid entities. @returns how many were not yet in the quarantine. */
export function quarantineEntities(
  invalid: readonly InvalidEntity[],
  { feed }: Pick<CommitTarget, 'feed'>,
  context: CommitContext,
): Promise<number> {
  return quarantine(invalid, (item) => itemOfEntity(item, feed.id), context);
}

/** Quarantines the events that the topic refused. */
export async function quarantineEvents(
  refused: readonly RefusedEvent[],
  { feed }: Pick<CommitTarget, 'feed'>,
  context: CommitContext,
): Promise<void> {
  await quarantine(refused, (item) => itemOfEvent(item, feed.id), context);
}

function itemOfEntity({ value, reason, parent }: InvalidEntity, feed: string): QuarantinedItem {
  const updatedAt = parseTimestamp((value as JsonObject | null)?.['updated_at']);
  const listedAt = parent?.version ?? updatedAt;
  return {
    subject: `${parent?.path ?? `/${feed}`}/${lastSegmentOf(value)}`,
    feed,
    kind: 'entity',
    version: updatedAt === undefined ? '' : toFixedWidth(updatedAt),
    ...(listedAt !== undefined && { listedAt }),
    reason,
    value,
  };
}

function itemOfEvent({ event, reason }: RefusedEvent, feed: string): QuarantinedItem {
  const { subject, sequence } = event;
  return { subject, feed, kind: 'event', version: sequence, reason, value: event };
}

/** The id, or a digest if none is usable in a path. */
function lastSegmentOf(value: unknown): string {
  return validIdOf(value) ?? `!${digestOf(identityOf(value))}`;
}

/** @returns how many items were new. */
async function quarantine<T>(
  found: readonly T[],
  toItem: (each: T) => QuarantinedItem,
  { ports, summary }: CommitContext,
): Promise<number> {
  const { telemetry } = ports;
  let newCount = 0;
  for (const chunk of chunksOf(found, CHUNK)) {
    const added = await ports.quarantine.put(chunk.map(toItem));
    newCount += added.length;
    summary.quarantined += added.length;
    telemetry.count('Quarantined', added.length);
    for (const { feed, subject, reason } of added.slice(0, MAX_LOGGED))
      telemetry.warn('An entity or event was quarantined', { feed, subject, reason });
    if (added.length <= MAX_LOGGED) continue;
    const quarantined = added.length - MAX_LOGGED;
    telemetry.warn('Further entities or events were quarantined', { quarantined });
  }
  return newCount;
}
