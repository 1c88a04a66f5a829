import { isDeepStrictEqual } from 'node:util';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';
import { told, VOLATILE, without } from './expected.ts';
import type { FinalState } from './latest.ts';

/** The delivery of each subject that has the latest sequence, since the table last lost its entity. */
export function latestDeliveries(deliveries: readonly Delivery[]): Map<string, Delivery> {
  const latest = new Map<string, Delivery>();
  for (const delivery of deliveries) {
    const { subject, sequence } = delivery.event;
    const before = latest.get(subject);
    const isAnew = delivery.epoch > (before?.epoch ?? -1);
    if (isAnew || sequence > (before?.event.sequence ?? '')) latest.set(subject, delivery);
  }
  return latest;
}

/** Whether an event shows this state. */
export function isState({ type, data, sequence }: ChangeEvent, { objects }: FinalState): boolean {
  const isDeleted = type.endsWith('.deleted') || Boolean(data.object.deleted_at);
  return objects.some((object) => {
    if (object === undefined) return isDeleted;
    if (isDeleted !== Boolean(object['deleted_at'])) return false;
    // One that was deleted by missing, and is shown as deleted at a time before, is not told again.
    const isMissing = isDeleted && !data.object.deleted_at;
    if (isMissing && toFixedWidth(String(object['updated_at'])) <= sequence) return true;
    return isDeepStrictEqual(told(data.object), told(object));
  });
}

/** Describes a state. */
export function describe({ objects }: FinalState): string {
  return objects
    .map((object) => (object === undefined ? 'is gone' : `is ${JSON.stringify(told(object))}`))
    .join(' or ');
}

/** The part of an event that is equal each time it is published. */
export function withoutVolatileParts(told: ChangeEvent): JsonObject {
  const { recordedtime, cause: _, data, ...event } = told;
  const { object, changed, previous } = data;
  return {
    ...event,
    object: without(object, VOLATILE),
    changed: changed.filter((name) => !VOLATILE.includes(name)),
    previous: previous && without(previous, VOLATILE),
    isRecorded: typeof recordedtime === 'string',
  };
}
