import type * as z from 'zod/mini';

type Path = readonly PropertyKey[];

/**
 * Describes each problem once: field, value without credentials, and allowed values.
 *
 * @param input the value that was checked.
 */
export function describeProblems({ issues }: z.core.$ZodError, input: unknown): string {
  const lines = issues.flatMap((issue) => describe(issue, input));
  return [...new Set(lines)].map((line) => `  ${line}`).join('\n');
}

function describe(issue: z.core.$ZodIssue, input: unknown): string[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${nameOf([...path, key])} is not known; allowed: ${message}`);
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues.map((each) => each.message).join(', ');
    return [`${nameOf(path)} is not a valid name; allowed: ${allowed}`];
  }
  const value = valueAt(input, path);
  const given = value === undefined ? 'missing' : quote(value);
  return [`${nameOf(path)} is ${given}; allowed: ${message}`];
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
    // A signing key in place of the ARN of its secret.
    .replaceAll(/whsec_[^"]*/g, 'whsec_…');
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
