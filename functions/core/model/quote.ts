import { cutToDepth } from './depth.ts';

/** A value for an error message: JSON, cut to 100 characters. */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(cutToDepth(value));
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
