import type * as z from 'zod/mini';
import { fieldNamesIn } from './field-types.ts';
import { findNearest } from './find-nearest.ts';

type Path = readonly PropertyKey[];

/**
 * Describes each problem once: field, value without credentials, and what is allowed.
 *
 * @param input the value that was checked.
 */
export function describeProblems({ issues }: z.core.$ZodError, input: unknown): string {
  const meant = new Set(issues.flatMap(meantFields));
  const lines = issues
    // A mistyped field is one problem: its right name is not missing as well.
    .filter(({ path }) => !meant.has(nameOf(path)) || valueAt(input, path) !== undefined)
    .flatMap((issue) => describe(issue, input));
  return [...new Set(lines)].map((line) => `  ${line}`).join('\n');
}

function describe(issue: z.core.$ZodIssue, input: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const nearest = nearestField(issue, key);
      const advice =
        nearest === undefined ? `allowed: ${issue.message}` : `did you mean "${nearest}"?`;
      return `${nameOf([...issue.path, key])} is not known; ${advice}`;
    });
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues.map(({ message }) => message).join(', ');
    return [`${nameOf(issue.path)} is not a valid name; allowed: ${allowed}`];
  }
  const value = valueAt(input, issue.path);
  const given = value === undefined ? 'missing' : quote(value);
  return [`${nameOf(issue.path)} is ${given}; allowed: ${issue.message}`];
}

/** The names of the fields that unknown ones most likely mean. */
function meantFields(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  return issue.keys.flatMap((key) => {
    const nearest = nearestField(issue, key);
    return nearest === undefined ? [] : [nameOf([...issue.path, nearest])];
  });
}

function nearestField({ message }: z.core.$ZodIssue, key: string): string | undefined {
  return findNearest(key, fieldNamesIn(message));
}

/** A path as it is written in code: `subscribers[0].name`. */
export function nameOf(path: Path): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

function quote(value: unknown): string {
  // Everything before the last @ may be a user and a password, even if the rest is no address.
  const text = JSON.stringify(value)
    .replace(/^(\W*(?:\w+:\/\/)?).*@/s, '$1…@')
    // What signs webhooks, where the ARN of its secret belongs.
    .replaceAll(/whsec_[^"]*/g, 'whsec_…');
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
