import type { Entity, InvalidEntity, JsonObject } from '../entity.ts';
import type { Resource } from '../resource-catalog.ts';

interface Shown {
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
}

/** A page without the fields that config omits, in its entities and in those nested in them. */
export function omitFields<P extends Shown>(page: P, resource: Resource): P {
  const { omit, nested = [] } = resource;
  if (omit === undefined) return page;
  const holders = nested.flatMap(({ fields }) => fields);
  return {
    ...page,
    entities: page.entities.map((entity) => omitFrom(entity, omit, holders)),
    invalid: page.invalid.map((item) => ({ ...item, value: omitFrom(item.value, omit, holders) })),
  };
}

/** @param holders fields that may hold nested entities. */
function omitFrom<T>(value: T, omit: readonly string[], holders: readonly string[]): T {
  const own = withoutFields(value, omit);
  if (!isObject(own)) return own;
  const shown = holders.filter((field) => Object.hasOwn(own, field));
  const within = shown.map((field) => {
    const inner = own[field];
    const cut = Array.isArray(inner)
      ? inner.map((each: unknown) => withoutFields(each, omit))
      : withoutFields(inner, omit);
    return [field, cut] as const;
  });
  return { ...own, ...Object.fromEntries(within) };
}

/** A value without these fields, if it is an object; the same one if it has none of them. */
export function withoutFields<T>(value: T, fields: readonly string[]): T {
  if (!isObject(value) || !fields.some((field) => Object.hasOwn(value, field))) return value;
  const kept = Object.entries(value).filter(([field]) => !fields.includes(field));
  return Object.fromEntries(kept) as T;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
