import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';
import { told } from './expected.ts';
import { retentionOf } from './history/history.ts';
import type { Row } from './truth.ts';
import type { Outcome } from './world.ts';

/** Whether it tells an entity that went without a trace, see the promises of reconciliations. */
export function isOfGone({ cause, type, data }: Delivery['event']): boolean {
  return cause === 'reconcile' && type.endsWith('.deleted') && !data.object.deleted_at;
}

/** Whether it tells such a delete that was unpublished; polling does, too, when the entity is back. */
export function isPendingDelete({ event, prior }: Delivery): boolean {
  return (
    prior?.inferred !== undefined &&
    prior.unpublished !== undefined &&
    event.type.endsWith('.deleted')
  );
}

/**
 * Whether it tells, after its delete, an entity that is back as it was, or a later change of it that a service dates
 * before that delete, since its clock is behind.
 */
export function isOfReturned({ event, prior }: Delivery, { returnedAt, versions }: Row): boolean {
  if (returnedAt === undefined || prior === undefined) return false;
  const before = toFixedWidth(prior.sequence);
  if (before >= event.sequence) return false;
  const isBack = prior.deleted && prior.inferred !== undefined && event.type.endsWith('.restored');
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
