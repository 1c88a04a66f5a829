import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../functions/core/model/entity.ts';
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

/** Whether it tells, after an inferred delete, an entity that is back as it was. */
export function isOfReturned({ event, prior }: Delivery, { returnedAt, versions }: Row): boolean {
  const isPending = prior?.unpublished !== undefined;
  const isGone = (prior?.deleted === true || isPending) && prior.inferred !== undefined;
  if (returnedAt === undefined || !isGone || !event.type.endsWith('.restored')) return false;
  return versions.some(({ object }) => isDeepStrictEqual(told(object), told(event.data.object)));
}

/** Whether nobody is told any more that an entity is deleted who does not know it. */
export function isDeletedLongAgo(
  { deleted_at, updated_at }: JsonObject,
  { history, endedAt }: Outcome,
): boolean {
  return Boolean(deleted_at) && Date.parse(String(updated_at)) <= endedAt - retentionOf(history);
}
