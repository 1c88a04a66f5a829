import type { Entity } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { nestedEntities, type NestedEntities } from '../model/nested-entities.ts';
import type { NestedResource, Resource } from '../model/resource-catalog.ts';

/** The entities of one nested resource that a parent shows. */
export interface NestedList extends NestedEntities {
  readonly resource: NestedResource;
  /**
   * Digest of ids and versions; their order does not count. Absent beside an invalid item: such a
   * list is compared again, since an operator may take the item out of the quarantine.
   */
  digest: string | undefined;
}

/** The nested lists that a parent shows. */
export function nestedLists({ nested = [] }: Resource, parent: Entity): readonly NestedList[] {
  return nested.flatMap((resource) => {
    const shown = nestedEntities(resource, parent);
    return shown ? { ...shown, resource, digest: digestOfList(shown) } : [];
  });
}

function digestOfList({ entities, invalid }: NestedEntities): string | undefined {
  if (invalid.length > 0) return undefined;
  const versions = entities.map((each) => [each.id, each.updated_at, each.deleted_at].join(' '));
  return digestOf(versions.sort());
}

/** Digest of each list that is to be remembered, by its name. */
export function nestedDigests(lists: readonly NestedList[]): Record<string, string> {
  return Object.fromEntries(
    lists.flatMap(({ resource, digest }) => (digest ? [[resource.name, digest]] : [])),
  );
}
