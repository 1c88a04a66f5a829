import { ExactNumber } from './json.ts';

/**
 * Levels of objects and arrays that an entity may have. Many JSON parsers of subscribers stop at 64, and
 * recursion fails at a few thousand.
 */
export const MAX_DEPTH = 50;

/** Whether a JSON value has more levels of objects and arrays. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return false;
  if (levels === 0) return true;
  // Each entity is checked: a list of its values would cost as much as the rest of the comparison.
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

/** The value without its levels below {@link MAX_DEPTH}: such a value can be written as JSON. */
export function cutToDepth(value: unknown): unknown {
  return isDeeperThan(value, MAX_DEPTH) ? cut(value, MAX_DEPTH) : value;
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (levels === 0) return '[cut: nested too deeply]';
  if (Array.isArray(value)) return value.map((inner) => cut(inner, levels - 1));
  const fields = Object.entries(value).map(([field, inner]) => [field, cut(inner, levels - 1)]);
  return Object.fromEntries(fields) as unknown;
}
