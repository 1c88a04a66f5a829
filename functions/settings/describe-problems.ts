import type * as z from 'zod/mini';

/**
 * Describes each problem once: field, value without credentials, and what is allowed.
 *
 * @param input the value that was checked.
 */
export function describeProblems({ issues }: z.core.$ZodError, input: unknown): string {
  const lines = issues.flatMap((issue) => describe(issue, input));
  return [...new Set(lines)].map((line) => `  ${line}`).join('\n');
}

function describe(issue: z.core.$ZodIssue, input: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${nameOf([...issue.path, key])} is not known; allowed: ${issue.message}`,
    );
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues.map(({ message }) => message).join(', ');
    return [`${nameOf(issue.path)} is not a valid name; allowed: ${allowed}`];
  }
  const value = valueAt(input, issue.path);
  const given = value === undefined ? 'missing' : quote(value);
  return [`${nameOf(issue.path)} is ${given}; allowed: ${issue.message}`];
}

function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

function quote(value: unknown): string {
  // Everything before the last @ may be a user and a password, even if the rest is no address.
  const text = JSON.stringify(value).replace(/^(\W*(?:\w+:\/\/)?).*@/s, '$1…@');
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
