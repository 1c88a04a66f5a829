import { type NestedResource, type Resource } from '../model/resource-catalog.ts';
import { type Entity, type InvalidEntity, validateEntities, quote } from '../model/entity.ts';
import { deduplicate, invalidKey } from './observed-entity.ts';
import { digestOf } from '../model/digest.ts';

/** What a parent's answer holds of one nested resource. */
export interface NestedList {
  readonly resource: NestedResource;
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
  /** True when what is not here does not exist: a list, of which every item was usable. */
  readonly isComplete: boolean;
  /** Of ids, versions and what is unusable; the order does not count. */
  readonly digest: string;
}

/**
 * The nested lists that a parent's answer shows. Which ones it shows depends on the Service-Version
 * (spec, "Versioning"): an absent field says nothing, an empty list says that there are none.
 *
 * @param subject the parent's API path.
 */
export function nestedLists(resource: Resource, parent: Entity, subject: string): NestedList[] {
  const shown = resource.nested?.filter((nested) => parent[nested.field] !== undefined) ?? [];
  return shown.map((nested) => nestedList(nested, parent[nested.field], subject));
}

export function nestedList(resource: NestedResource, value: unknown, subject: string): NestedList {
  const { entities, invalid: found } = itemsOf(resource, value);
  // Alone, an item does not say where it was found.
  const invalid = deduplicate(found).map((item) => ({
    ...item,
    reason: `${resource.field} of ${subject}: ${item.reason}`,
  }));
  return {
    resource,
    entities,
    invalid,
    isComplete: resource.holds === 'list' && invalid.length === 0,
    digest: digestOf([
      entities.map((e) => [e.id, e.updated_at, e.deleted_at].join(' ')).sort(),
      invalid.map(invalidKey).sort(),
    ]),
  };
}

export function itemsOf(resource: NestedResource, value: unknown) {
  if (resource.holds === 'current') return validateEntities(value === null ? [] : [value]);
  if (Array.isArray(value)) return validateEntities(value);
  const reason = `must be an array, got ${quote(value)}`;
  return { entities: [], invalid: [{ value, reason }] };
}
