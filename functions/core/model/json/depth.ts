import { ExactNumber } from './json.ts';

/**
 * Maximum levels of objects and arrays in an entity. Many JSON parsers of subscribers stop at 64,
 * and recursion fails at a few thousand.
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

/** The value without its fields that are too deep: such a value can be written as JSON. */
export function cutToDepth(value: unknown): unknown {
  if (!isDeeperThan(value, MAX_DEPTH)) return value;
  if (Array.isArray(value)) return '[cut: nested too deeply]';
  const fields = Object.entries(value as Record<string, unknown>).map(([field, inner]) => {
    return [field, isDeeperThan(inner, MAX_DEPTH - 1) ? '[cut: nested too deeply]' : inner];
  });
  return Object.fromEntries(fields) as unknown;
}
