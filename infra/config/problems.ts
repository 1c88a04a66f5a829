import type * as z from 'zod';

/**
 * Says what is wrong: field, value without a password, and what is allowed.
 *
 * @param config what was checked.
 */
export function describe(issue: z.core.$ZodIssue, config: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${nameOf([...issue.path, key])} is not known; allowed: ${issue.message}`,
    );
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues.map(({ message }) => message).join(', ');
    return [`${nameOf(issue.path)} is not a stage name; allowed: ${allowed}`];
  }
  const value = valueAt(config, issue.path);
  const is = value === undefined ? 'missing' : show(value);
  return [`${nameOf(issue.path)} is ${is}; allowed: ${issue.message}`];
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`),
    'notifier',
  );
}

function valueAt(config: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    config,
  );
}

function show(value: unknown): string {
  // All up to the last @ may be a user and a password, whatever else is wrong with the address.
  const text = JSON.stringify(value).replace(/^(\W*(?:\w+:\/\/)?).*@/s, '$1…@');
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
