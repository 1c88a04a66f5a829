import { entityKey, type EntityKey } from '../model/entity-state.ts';
import { depthReason, idOf, type Entity, type InvalidEntity } from '../model/entity.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { ownObject } from '../model/nested-entities.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { compareTimestamps, toCanonical, type Timestamp } from '../model/timestamp.ts';
import { workOn } from './invalid-entity.ts';
import { nestedLists, type NestedList } from './nested-list.ts';

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

/** The contents of a page, observed. */
export interface ObservedPage {
  readonly entities: readonly ObservedEntity[];
  readonly invalid: readonly InvalidEntity[];
}

/** The contents of a page without duplicates: the latest version of each entity counts. */
export function observePage(
  page: { readonly entities: readonly Entity[]; readonly invalid: readonly InvalidEntity[] },
  { projectId }: Pick<Feed, 'projectId'>,
  resource: Resource,
): ObservedPage {
  const invalid = [...page.invalid];
  const listPath = feedPath(resource, projectId);
  const observed = page.entities.map((entity) =>
    workOn(entity, invalid, () => {
      const object = ownObject(resource, entity);
      const reason = depthReason(object);
      if (reason === undefined) {
        const id = idOf(entity);
        const identity = identityOf(resource.entity, id, `${listPath}/${id}`);
        return observe(identity, object, nestedLists(resource, entity, identity.subject));
      }
      invalid.push({ value: cutToDepth(entity), reason });
      return undefined;
    }),
  );
  return { entities: latestOfEach(observed), invalid };
}

function identityOf(entity: string, id: string, subject: string): Identity {
  return { key: entityKey(entity, id), entity, id, subject };
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

/** The later version of each entity that is shown twice. */
export function latestOfEach(
  all: readonly (ObservedEntity | undefined)[],
): readonly ObservedEntity[] {
  const byKey = new Map<EntityKey, ObservedEntity>();
  for (const observed of all) {
    if (observed === undefined) continue;
    const other = byKey.get(observed.key);
    const isOutdated = other && compareTimestamps(observed.version, other.version) < 0;
    if (!isOutdated) byKey.set(observed.key, observed);
  }
  return [...byKey.values()];
}

/** Digest of each nested list that is to be remembered, by its name. */
export function nestedDigests({ lists }: ObservedEntity): Record<string, string> {
  return Object.fromEntries(
    lists.flatMap(({ resource, digest }) =>
      digest === undefined ? [] : [[resource.name, digest]],
    ),
  );
}
