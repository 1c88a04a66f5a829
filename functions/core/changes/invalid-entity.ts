import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { InvalidEntity, JsonObject } from '../model/entity.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { digestOf } from '../model/json/digest.ts';
import { ExactNumber } from '../model/json/json.ts';
import { isoTime } from '../model/timestamp.ts';

/**
 * The key under which the store remembers a quarantined value. It uses the id if there is one, of
 * any type, since other fields, such as signed URLs, may differ on every read.
 */
export function invalidKey({ value, reason }: InvalidEntity): EntityKey {
  const { id, updated_at } = (value ?? {}) as JsonObject;
  const identity = tellsApart(id) ? { id, updated_at } : { value };
  return `invalid#${digestOf({ ...identity, reason })}`;
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
 * @returns undefined when the entity was added to `invalid`.
 */
export function workOn<V, T>(
  value: V,
  invalid: InvalidEntity[],
  work: (value: V) => T,
): T | undefined {
  try {
    return work(value);
  } catch (error) {
    const reason = `the entity could not be processed: ${String(error)}`;
    invalid.push({ value: cutToDepth(value), reason });
    return undefined;
  }
}

/** The invalid entities without duplicates. */
export function deduplicate(invalid: readonly InvalidEntity[]): InvalidEntity[] {
  return [...new Map(invalid.map((item) => [invalidKey(item), item])).values()];
}

/** Remembers that a value was quarantined, so that re-reading it does not quarantine it again. */
export function invalidState(item: InvalidEntity): EntityState {
  const never = isoTime(0);
  return { key: invalidKey(item), version: never, sequence: never, deleted: false };
}
