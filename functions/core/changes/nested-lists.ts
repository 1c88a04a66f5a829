import {
  depthReason,
  invalidReason,
  validateEntities,
  type Entity,
  type InvalidEntity,
  type JsonObject,
} from '../model/entity.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { digestOf } from '../model/json/digest.ts';
import { kindOf } from '../model/json/quote.ts';
import type { NestedResource, Resource } from '../model/resource-catalog.ts';
import { deduplicate, invalidKey } from './invalid-entity.ts';

/** The entities of one nested resource in a parent's answer. */
export interface NestedList {
  readonly resource: NestedResource;
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
  /** Digest of ids, versions and invalid items; the order does not count. */
  readonly digest: string;
}

/**
 * The nested lists that a parent's answer shows. They depend on the Service-Version (spec,
 * "Versioning"): an absent field or null says nothing, an empty list says that there are no items.
 *
 * @param subject the parent's API path.
 */
export function nestedLists(resource: Resource, parent: Entity, subject: string): NestedList[] {
  const lists: NestedList[] = [];
  for (const nested of resource.nested ?? []) {
    if (isShown(nested, parent)) lists.push(nestedList(nested, parent[nested.field], subject));
  }
  return lists;
}

/** Null is no list, but says that there is no current entity. */
function isShown({ field, holds }: NestedResource, parent: JsonObject): boolean {
  return parent[field] !== undefined && (holds === 'current' || parent[field] !== null);
}

function nestedList(resource: NestedResource, value: unknown, subject: string): NestedList {
  const { entities, invalid: found } = itemsOf(resource, value);
  // In the quarantine, the reason must name the parent.
  const invalid = deduplicate(found).map((item) => ({
    ...item,
    reason: `${resource.field} of ${subject}: ${item.reason}`,
  }));
  return {
    resource,
    entities,
    invalid,
    digest: digestOf([
      entities.map((e) => [e.id, e.updated_at, e.deleted_at].join(' ')).sort(),
      invalid.map(invalidKey).sort(),
    ]),
  };
}

const itemReason = (value: unknown) => invalidReason(value) ?? depthReason(value);

function itemsOf(resource: NestedResource, value: unknown) {
  if (resource.holds === 'current') {
    return validateEntities(value === null ? [] : [value], itemReason);
  }
  if (Array.isArray(value)) return validateEntities(value, itemReason);
  // Not its content, which may differ on every read, and is not for the log.
  const reason = `must be an array, got ${kindOf(value)}`;
  return { entities: [], invalid: [{ value: cutToDepth(value), reason }] };
}
