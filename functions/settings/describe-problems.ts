import type * as z from 'zod/mini';
import { fieldNamesIn } from './field-types.ts';

type Path = readonly PropertyKey[];

/** Finds the one of some names that a mistyped name means. */
type FindMeant = (name: string, names: readonly string[]) => string | undefined;

/**
 * Describes each problem once: field, value without credentials, and what is allowed.
 *
 * @param input the value that was checked.
 * @param findMeant for those who type the names. Default: nobody does.
 */
export function describeProblems(
  { issues }: z.core.$ZodError,
  input: unknown,
  findMeant: FindMeant = () => undefined,
): string {
  const meant = new Set(issues.flatMap((issue) => meantFields(issue, findMeant)));
  const lines = issues
    // A mistyped field is one problem: its right name is not missing as well.
    .filter(({ path }) => !meant.has(nameOf(path)) || valueAt(input, path) !== undefined)
    .flatMap((issue) => describe(issue, input, findMeant));
  return [...new Set(lines)].map((line) => `  ${line}`).join('\n');
}

function describe(issue: z.core.$ZodIssue, input: unknown, findMeant: FindMeant): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = findMeant(key, fieldNamesIn(issue.message));
      const advice = meant === undefined ? `allowed: ${issue.message}` : `did you mean "${meant}"?`;
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
function meantFields(issue: z.core.$ZodIssue, findMeant: FindMeant): string[] {
  if (issue.code !== 'unrecognized_keys') return [];
  return issue.keys.flatMap((key) => {
    const meant = findMeant(key, fieldNamesIn(issue.message));
    return meant === undefined ? [] : [nameOf([...issue.path, meant])];
  });
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
