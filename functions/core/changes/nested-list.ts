import { validIdOf, type Entity, type ParentOfInvalid } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { nestedEntities, type NestedEntities } from '../model/nested-entities.ts';
import type { NestedResource, Resource } from '../model/resource-catalog.ts';
import { toCanonical } from '../model/timestamp.ts';

/** The entities of one nested resource in a parent's answer. */
export interface NestedList extends NestedEntities {
  readonly resource: NestedResource;
  /**
   * Digest of ids and versions; their order does not count. Absent beside an invalid item, so that
   * the list is compared again when an operator takes the item out of the quarantine.
   */
  readonly digest: string | undefined;
  /**
   * Ids of all items, invalid ones included: what else is known was dropped. Absent if an item has
   * no usable id, and where another entity may take the place of a current one: then nothing was
   * dropped.
   */
  readonly ids: ReadonlySet<string> | undefined;
}

/**
 * The nested lists that a parent's answer shows.
 *
 * @param subject the parent's API path.
 */
export function nestedLists(resource: Resource, parent: Entity, subject: string): NestedList[] {
  return (resource.nested ?? []).flatMap((nested) => {
    const shown = nestedEntities(nested, parent);
    if (shown === undefined) return [];
    const path = `${subject}/${nested.name}`;
    return nestedList(nested, shown, { path, version: toCanonical(parent.updated_at) });
  });
}

function nestedList(
  resource: NestedResource,
  { entities, invalid: found, isList }: NestedEntities,
  parent: ParentOfInvalid,
): NestedList {
  const invalid = found.map((item) => ({ ...item, parent }));
  const versions = entities.map((each) => [each.id, each.updated_at, each.deleted_at].join(' '));
  return {
    resource,
    entities,
    invalid,
    isList,
    digest: invalid.length === 0 ? digestOf(versions.sort()) : undefined,
    ids: isList ? idsOf([...entities, ...invalid.map(({ value }) => value)]) : undefined,
  };
}

function idsOf(items: readonly unknown[]): ReadonlySet<string> | undefined {
  const ids = items.map(validIdOf);
  return ids.includes(undefined) ? undefined : new Set(ids as string[]);
}
