import type { EntityKey } from '../model/entity-state.ts';
import type { Entity } from '../model/entity.ts';
import { compareTimestamps, toCanonical, type Timestamp } from '../model/timestamp.ts';
import type { NestedList } from './nested-lists.ts';

/** Identifies an entity and its place in the API. */
export interface Identity {
  readonly key: EntityKey;
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  readonly id: string;
  /** The entity's API path. */
  readonly subject: string;
}

/** An entity as a page shows it, ready to be compared with its state. */
export interface ObservedEntity extends Identity {
  /** `updated_at`, canonical. */
  readonly version: Timestamp;
  /** `deleted_at`, canonical; null when not deleted. */
  readonly deletedAt: Timestamp | null;
  /** The entity without its nested lists; see {@link ownObject}. */
  readonly object: Entity;
  readonly lists: readonly NestedList[];
}

const NO_LISTS: readonly NestedList[] = [];

/** @param object the entity without its nested lists. */
export function observe(
  { key, entity, id, subject }: Identity,
  object: Entity,
  lists = NO_LISTS,
): ObservedEntity {
  return {
    key,
    entity,
    id,
    subject,
    version: toCanonical(object.updated_at),
    deletedAt: object.deleted_at ? toCanonical(object.deleted_at) : null,
    object,
    lists,
  };
}

/** Digest of each nested list on the page, by its name. */
export function nestedDigests({ lists }: ObservedEntity): Record<string, string> {
  return Object.fromEntries(lists.map(({ resource, digest }) => [resource.name, digest]));
}

/** Whether a page or list shows a later version of the same entity. */
export function isOutdated(observed: ObservedEntity, other: ObservedEntity | undefined): boolean {
  return other !== undefined && compareTimestamps(observed.version, other.version) < 0;
}
