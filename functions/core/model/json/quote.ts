import { cutToDepth } from './depth.ts';
import { ExactNumber } from './json.ts';

/** A value for an error message: JSON, cut to 100 characters. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(cutToDepth(value));
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

/** Texts that are no names of people: one word, or a time in any form. */
const WORD_OR_TIME = /^(\S*|[\d\s:.,+TZ-]*)$/;

/** An id or time for the log: a number, word or time itself, else its kind: it may hold names. */
export function quoteScalar(value: unknown): string {
  const isKind =
    typeof value === 'string'
      ? !WORD_OR_TIME.test(value)
      : typeof value === 'object' && !(value instanceof ExactNumber);
  return isKind ? kindOf(value) : quote(value);
}

/** The kind of a JSON value, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof ExactNumber) return 'a number';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
