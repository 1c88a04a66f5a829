import { validIdOf, type InvalidEntity, type JsonObject } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { parseTimestamp, toFixedWidth } from '../model/timestamp.ts';
import type { RefusedEvent } from '../ports/event-topic.ts';
import type { QuarantinedItem } from '../ports/quarantine.ts';
import type { CommitTarget } from './commit-context.ts';

type Target = Pick<CommitTarget, 'feed' | 'run'>;

/** Quarantines invalid entities. @returns how many were not yet in the quarantine. */
export function quarantineEntities(
  invalid: readonly InvalidEntity[],
  target: Target,
): Promise<number> {
  return quarantine(
    invalid.map((item) => itemOfEntity(item, target.feed.id)),
    target,
  );
}

/** Quarantines the events that the topic refused. */
export async function quarantineEvents(
  refused: readonly RefusedEvent[],
  target: Target,
): Promise<void> {
  const items = refused.map(({ event, reason }): QuarantinedItem => {
    const { subject, sequence } = event;
    return {
      subject,
      feed: target.feed.id,
      kind: 'event',
      version: sequence,
      reason,
      value: event,
    };
  });
  await quarantine(items, target);
}

function itemOfEntity({ value, reason, parent }: InvalidEntity, feed: string): QuarantinedItem {
  const updatedAt = parseTimestamp((value as JsonObject | null)?.['updated_at']);
  const listedAt = parent?.version ?? updatedAt;
  return {
    subject: `${parent?.path ?? `/${feed}`}/${lastSegmentOf(value)}`,
    feed,
    kind: 'entity',
    version: updatedAt === undefined ? '' : toFixedWidth(updatedAt),
    ...(listedAt && { listedAt }),
    reason,
    value,
  };
}

/**
 * The id, or a digest if none is usable in a path: of the unusable id, or else of the version.
 * Other fields, such as signed addresses, may differ on every read.
 */
function lastSegmentOf(value: unknown): string {
  const { id, updated_at: version = null } = (value ?? {}) as JsonObject;
  return validIdOf(value) ?? `!${digestOf(id === '' ? version : (id ?? version))}`;
}

/** @returns how many items were new. */
async function quarantine(items: readonly QuarantinedItem[], { run }: Target): Promise<number> {
  if (items.length === 0) return 0;
  const { telemetry, quarantine: kept } = run.ports;
  const added = await kept.put(items);
  run.summary.quarantined += added.length;
  telemetry.count('Quarantined', added.length);
  for (const { feed, subject, reason } of added)
    telemetry.warn('An entity or event was quarantined', { feed, subject, reason });
  return added.length;
}
