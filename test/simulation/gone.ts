import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';
import { told } from './expected.ts';
import { retentionOf } from './history/history.ts';
import type { FinalState } from './latest.ts';
import { placeOf } from './places.ts';
import type { Row } from './truth.ts';
import type { Outcome } from './world.ts';

/** Whether it tells an entity that went without a trace, see the promises of reconciliations. */
export function isOfGone({ cause, type, data }: Delivery['event']): boolean {
  return cause === 'reconcile' && type.endsWith('.deleted') && !data.object.deleted_at;
}

/** Whether it tells such a delete that waited in the outbox; polling does, too, when the entity is back. */
export function isPendingDelete({ event, prior }: Delivery): boolean {
  return (
    prior?.missing === true && prior.pendingEvent !== undefined && event.type.endsWith('.deleted')
  );
}

/**
 * Whether a time lies ahead of the end of the run that told an event: nothing told it that it was used. Without any
 * `Date` a run knows its own clock alone.
 */
export function isAhead(time: string, { run }: Delivery, outcome: Outcome): boolean {
  const { chronicle, service, history } = outcome;
  const { endedAt } = chronicle.runs[run] ?? {};
  if (endedAt === undefined) return false;
  const { dates } = history.service;
  // One that jumps back is believed.
  if (dates === 'jumping') return true;
  const byService = service.clockAt(endedAt);
  return Date.parse(time) > (dates === 'never' ? Math.min(endedAt, byService) : byService);
}

/**
 * Whether it tells, after its delete, an entity that is back as it was, or a later change of it that a service dates
 * before that delete, since its clock is behind.
 */
export function isOfReturned({ event, prior }: Delivery, { returnedAt, versions }: Row): boolean {
  if (returnedAt === undefined || prior === undefined) return false;
  const before = toFixedWidth(prior.sequence);
  if (before >= event.sequence) return false;
  const isBack = prior.missing === true && event.type.endsWith('.restored');
  return versions.some(
    ({ stamp, object }) =>
      (isBack || toFixedWidth(stamp) <= before) &&
      isDeepStrictEqual(told(object), told(event.data.object)),
  );
}

/** Whether nobody is told any more that an entity is deleted who does not know it. */
export function isDeletedLongAgo(
  { deleted_at, updated_at }: JsonObject,
  { history, endedAt }: Outcome,
): boolean {
  return Boolean(deleted_at) && Date.parse(String(updated_at)) <= endedAt - retentionOf(history);
}

/**
 * Whether an item went before the time that it is dated, and was first read without the service's clock: only a later
 * version of its checklist tells that it is gone, see the guarantees.
 */
export function isGoneBeforeItsTime(
  { subject, objects, parent }: FinalState,
  { chronicle, history }: Outcome,
): boolean {
  const mayLackDate = ['missing', 'never'].includes(history.service.dates);
  if (!mayLackDate || parent === undefined || !objects.includes(undefined)) return false;
  const { feedId, key } = placeOf(subject);
  const known = chronicle.state(feedId, key);
  if (known === undefined || known.deleted || known.seenAt !== undefined) return false;
  return toFixedWidth(known.version) >= toFixedWidth(parent.stamp);
}
