import type * as z from 'zod/mini';

/** Lets a check run as soon as its own fields are valid: all problems are reported, none twice. */
export function areValid(...names: string[]): (payload: z.core.ParsePayload) => boolean {
  return ({ value, issues }) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !issues.some(({ path: [name] = [] }) => names.includes(String(name)));
}
