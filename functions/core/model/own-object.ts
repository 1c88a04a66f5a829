import { invalidReason, type Entity } from './entity.ts';
import { idField, type NestedResource, type Resource } from './resource-catalog.ts';

/** The entity without its nested lists, and with the id of its current nested entity, or null. */
export function ownObject({ nested = [] }: Resource, entity: Entity): Entity {
  const present = nested.filter(({ field }) => entity[field] !== undefined);
  if (present.length === 0) return entity;
  const fields = new Set(present.map(({ field }) => field));
  const own = Object.entries(entity).filter(([field]) => !fields.has(field));
  const ids = present
    .filter(({ holds }) => holds === 'current')
    .flatMap((each) => idOf(each, entity));
  // A field of the service has precedence.
  return Object.fromEntries([...ids, ...own]) as Entity;
}

/** The id field of the current entity and its value; none if the current entity is invalid. */
function idOf(nested: NestedResource, parent: Entity): [string, string | null][] {
  const current = parent[nested.field];
  if (current === null) return [[idField(nested), null]];
  return invalidReason(current) === undefined ? [[idField(nested), (current as Entity).id]] : [];
}
