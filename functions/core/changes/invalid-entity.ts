import type { InvalidEntity, JsonObject, ParentOfInvalid } from '../model/entity.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { ExactNumber } from '../model/json/json.ts';

/**
 * What tells an invalid entity from others: its id if there is one, of any type, since other
 * fields, such as signed URLs, may differ on every read.
 */
export function identityOf(value: unknown): unknown {
  const { id } = (value ?? {}) as JsonObject;
  return tellsApart(id) ? id : value;
}

/** Many entities may share an id that is empty, 0 or false. */
function tellsApart(id: unknown): boolean {
  if (typeof id === 'string') return /[\p{L}\p{N}]/u.test(id);
  if (typeof id === 'number') return id !== 0;
  if (id instanceof ExactNumber) return true;
  return typeof id === 'object' && id !== null && Object.keys(id).length > 0;
}

/**
 * Works on one entity. An error makes the entity invalid: it would stop its list again on each
 * poll.
 *
 * @param work does no I/O.
 * @param parent see {@link InvalidEntity.parent}.
 * @returns undefined when the entity was added to `invalid`.
 */
export function workOn<V, T>(
  value: V,
  invalid: InvalidEntity[],
  work: (value: V) => T,
  parent?: ParentOfInvalid,
): T | undefined {
  try {
    return work(value);
  } catch (error) {
    const reason = `the entity could not be processed: ${String(error)}`;
    invalid.push({ value: cutToDepth(value), reason, ...(parent && { parent }) });
    return undefined;
  }
}
