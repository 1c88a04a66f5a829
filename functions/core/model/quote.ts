import { cutToDepth, ExactNumber } from './json.ts';

/** A value for an error message: JSON, cut to 100 characters. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(cutToDepth(value));
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

/** A value for the log: a text or number quoted, of anything else its kind, since it may hold names. */
export function quoteScalar(value: unknown): string {
  return typeof value === 'object' && !(value instanceof ExactNumber)
    ? kindOf(value)
    : quote(value);
}

/** The kind of a JSON value, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof ExactNumber) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
