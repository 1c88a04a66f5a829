import { digestOf } from '../model/digest.ts';
import type { Entity, JsonObject, InvalidEntity } from '../model/entity.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import { toCanonical, compareTimestamps, type Timestamp } from '../model/timestamp.ts';

/** An entity as a page shows it, ready to be compared with what is known of it. */
export interface ObservedEntity {
  readonly key: EntityKey;
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  readonly id: string;
  /** The entity's API path. */
  readonly subject: string;
  /** `updated_at`, canonical. */
  readonly version: Timestamp;
  /** `deleted_at`, canonical; null when not deleted. */
  readonly deletedAt: Timestamp | null;
  /** The entity without its nested lists. */
  readonly object: JsonObject;
  /** Digest of each nested list on the page. */
  readonly nested?: Readonly<Record<string, string>>;
}

/** Names of an entity: which one it is and where it lies. */
export type Identity = Pick<ObservedEntity, 'key' | 'entity' | 'id' | 'subject'>;

/** Reads version and deletion off an entity that passed the door. */
export function observe(identity: Identity, entity: Entity): ObservedEntity {
  return new SeenEntity(identity, entity);
}

/**
 * What is kept of each entity while its page is worked is made by a class, not by a literal: see "Memory of
 * a run" in docs/scaling.md.
 */
class SeenEntity implements ObservedEntity {
  declare readonly key: EntityKey;
  declare readonly entity: string;
  declare readonly id: string;
  declare readonly subject: string;
  declare readonly version: Timestamp;
  declare readonly deletedAt: Timestamp | null;
  declare readonly object: JsonObject;

  constructor(identity: Identity, entity: Entity) {
    this.key = identity.key;
    this.entity = identity.entity;
    this.id = identity.id;
    this.subject = identity.subject;
    this.version = toCanonical(entity.updated_at);
    this.deletedAt = entity.deleted_at ? toCanonical(entity.deleted_at) : null;
    this.object = entity;
  }
}

/** Of an entity that is in a page or a list twice, the later version counts. */
export function isOutdated(seen: ObservedEntity, other: ObservedEntity | undefined): boolean {
  return other !== undefined && compareTimestamps(seen.version, other.version) < 0;
}

/**
 * The key under which the store remembers that a value was set aside. What has an id is remembered
 * by it: other fields, such as signed URLs, may differ on every read.
 */
export function invalidKey({ value, reason }: InvalidEntity): EntityKey {
  const { id, updated_at } = (value ?? {}) as JsonObject;
  const identity = typeof id === 'string' ? { id, updated_at } : { value };
  return `invalid#${digestOf({ ...identity, reason })}`;
}

/** Of what cannot be worked with and is there twice, one. */
export function deduplicate(invalid: readonly InvalidEntity[]): InvalidEntity[] {
  return [...new Map(invalid.map((item) => [invalidKey(item), item])).values()];
}

/** Remembers that a value was set aside, so that reading it again does not set it aside again. */
export function invalidState(item: InvalidEntity): EntityState {
  const never = new Date(0).toISOString();
  return { key: invalidKey(item), version: never, sequence: never, deleted: false };
}
