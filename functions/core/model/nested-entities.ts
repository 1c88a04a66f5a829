import {
  depthReason,
  invalidReason,
  validateEntities,
  validIdOf,
  type Entity,
  type InvalidEntity,
} from './entity.ts';
import { cutToDepth } from './json/depth.ts';
import { kindOf } from './json/quote.ts';
import type { NestedResource, Resource } from './resource-catalog.ts';

/** The entities of one nested resource that a parent shows. */
export interface NestedEntities {
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
  /** False if the parent shows something else in place of a list. */
  readonly isList: boolean;
}

/**
 * The nested entities that a parent shows. They depend on the Service-Version (spec, "Versioning").
 *
 * @returns undefined when the parent does not show them: no field, or null in place of a list. Null
 *   in place of a current entity, and an empty array, show that there are none.
 */
export function nestedEntities(
  resource: NestedResource,
  parent: Entity,
): NestedEntities | undefined {
  if (!isShown(resource, parent)) return undefined;
  if (resource.holds === 'current') {
    const current = currentIn(resource, parent).map((value) => withVersion(value, parent));
    return { ...validateEntities(current, itemReason), isList: false };
  }
  const list = valuesIn(resource, parent)[0];
  if (list === undefined) return undefined;
  if (Array.isArray(list)) return { ...validateEntities(list, itemReason), isList: true };
  // Not its content, which may differ on every read, and is not for the log.
  const reason = `must be an array, got ${kindOf(list)}`;
  return { entities: [], invalid: [{ value: cutToDepth(list), reason }], isList: false };
}

/** The entity without its nested ones, and with the id of the first current one, or null. */
export function ownObject({ nested = [] }: Resource, entity: Entity): Entity {
  const present = nested.filter((each) => isShown(each, entity));
  if (present.length === 0) return entity;
  const fields = new Set(present.flatMap((each) => each.fields));
  const own = Object.entries(entity).filter(([field]) => !fields.has(field));
  const ids = present.flatMap((each) =>
    each.idField === undefined ? [] : [[each.idField, currentId(each, entity)] as const],
  );
  // A field of the service has precedence.
  return Object.fromEntries([...ids, ...own]) as Entity;
}

function currentId(resource: NestedResource, parent: Entity): string | null {
  return currentIn(resource, parent).flatMap((value) => validIdOf(value) ?? [])[0] ?? null;
}

/** Whether the parent has a field that may hold such entities. */
export function isShown({ fields }: NestedResource, parent: Entity): boolean {
  return fields.some((field) => parent[field] !== undefined);
}

/** The values of the fields that may hold nested entities, but null. */
function valuesIn({ fields }: NestedResource, parent: Entity): unknown[] {
  return fields.flatMap((field) => {
    const value = parent[field];
    return value === undefined || value === null ? [] : [value];
  });
}

/** A current entity is an object, or one of an array. */
function currentIn(resource: NestedResource, parent: Entity): unknown[] {
  return valuesIn(resource, parent).flat();
}

/** A current entity without a version of its own has that of its parent. */
function withVersion(value: unknown, { updated_at }: Entity): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const version = 'updated_at' in value ? value.updated_at : undefined;
  return version === undefined || version === null ? { ...value, updated_at } : value;
}

function itemReason(value: unknown): string | undefined {
  return invalidReason(value) ?? depthReason(value);
}
