import { digestOf } from '../model/digest.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { InvalidEntity, JsonObject } from '../model/entity.ts';

/**
 * The key under which the store remembers a quarantined value. It uses the id if there is one, since
 * other fields, such as signed URLs, may differ on every read.
 */
export function invalidKey({ value, reason }: InvalidEntity): EntityKey {
  const { id, updated_at } = (value ?? {}) as JsonObject;
  const identity = typeof id === 'string' ? { id, updated_at } : { value };
  return `invalid#${digestOf({ ...identity, reason })}`;
}

/** The invalid entities without duplicates. */
export function deduplicate(invalid: readonly InvalidEntity[]): InvalidEntity[] {
  return [...new Map(invalid.map((item) => [invalidKey(item), item])).values()];
}

/** Remembers that a value was quarantined, so that re-reading it does not quarantine it again. */
export function invalidState(item: InvalidEntity): EntityState {
  const never = new Date(0).toISOString();
  return { key: invalidKey(item), version: never, sequence: never, deleted: false };
}
