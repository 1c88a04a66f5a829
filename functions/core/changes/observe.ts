import { entityKey, type EntityKey } from '../model/entity-state.ts';
import { depthReason, idOf, type Entity, type InvalidEntity } from '../model/entity.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { ownObject } from '../model/nested-entities.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { compareTimestamps, toCanonical, type Timestamp } from '../model/timestamp.ts';
import { nestedLists, type NestedList } from './nested-list.ts';
import type { Identity, Place } from './place.ts';

/** An entity as the service shows it, ready to be compared with its state. */
export interface Observed extends Identity {
  /** `updated_at`, canonical. */
  readonly version: Timestamp;
  /** `deleted_at`, canonical; null when not deleted. */
  readonly deletedAt: Timestamp | null;
  /** The entity without its nested lists; see {@link ownObject}. */
  readonly object: Entity;
  readonly lists: readonly NestedList[];
}

/** A known entity that the service does not show. */
export interface Unseen extends Identity {
  /** Time of its inferred delete, once that is proven. */
  readonly inferredDeleteAt: Timestamp | undefined;
}

/** The contents of a page, observed. */
export interface ObservedPage {
  readonly entities: readonly Observed[];
  readonly invalid: readonly InvalidEntity[];
}

/** The contents of a page without duplicates: the latest version of each entity counts. */
export function observePage(
  page: { readonly entities: readonly Entity[]; readonly invalid: readonly InvalidEntity[] },
  place: Place,
  resource: Resource,
): ObservedPage {
  const invalid = [...page.invalid];
  const entities: Observed[] = [];
  for (const entity of page.entities) {
    const object = ownObject(resource, entity);
    const reason = depthReason(object);
    if (reason !== undefined) invalid.push({ value: cutToDepth(entity), reason });
    else entities.push(observe(place, object, nestedLists(resource, entity)));
  }
  return { entities: latestOfEach(entities), invalid };
}

/** @param object the entity without its nested lists. */
export function observe(place: Place, object: Entity, lists: readonly NestedList[] = []): Observed {
  const id = idOf(object);
  return {
    place,
    id,
    key: entityKey(place.entity, id, place.parent?.id),
    version: toCanonical(object.updated_at),
    deletedAt: object.deleted_at ? toCanonical(object.deleted_at) : null,
    object,
    lists,
  };
}

/** The later version of each entity that is shown twice. */
export function latestOfEach(all: readonly Observed[]): readonly Observed[] {
  const byKey = new Map<EntityKey, Observed>();
  for (const observed of all) {
    const other = byKey.get(observed.key);
    const isOutdated = other && compareTimestamps(observed.version, other.version) < 0;
    if (!isOutdated) byKey.set(observed.key, observed);
  }
  return [...byKey.values()];
}

/** Where an invalid entity of a nested list was found. */
export function parentOf({ path, parent }: Place): Pick<InvalidEntity, 'parent'> {
  return parent ? { parent: { path, version: parent.version } } : {};
}
