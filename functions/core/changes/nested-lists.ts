import type { Entity } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { nestedEntities, type NestedEntities } from '../model/nested-entities.ts';
import type { NestedResource, Resource } from '../model/resource-catalog.ts';
import { deduplicate, invalidKey } from './invalid-entity.ts';

/** The entities of one nested resource in a parent's answer. */
export interface NestedList extends NestedEntities {
  readonly resource: NestedResource;
  /** Digest of ids, versions and invalid items; the order does not count. */
  readonly digest: string;
}

/**
 * The nested lists that a parent's answer shows.
 *
 * @param subject the parent's API path.
 */
export function nestedLists(resource: Resource, parent: Entity, subject: string): NestedList[] {
  return (resource.nested ?? []).flatMap((nested) => {
    const shown = nestedEntities(nested, parent);
    return shown === undefined ? [] : nestedList(nested, shown, subject);
  });
}

function nestedList(
  resource: NestedResource,
  { entities, invalid: found }: NestedEntities,
  subject: string,
): NestedList {
  // In the quarantine, the reason must name the parent.
  const invalid = deduplicate(found).map((item) => ({
    ...item,
    reason: `${resource.name} of ${subject}: ${item.reason}`,
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
