import { hash } from 'node:crypto';
import type { JsonObject } from '../entity.ts';
import { decimalOf, ExactNumber } from './json.ts';

/** Hex digits of a SHA-256 that are kept: 64 bits suffice for the versions of one value. */
const DIGEST_LENGTH = 16;

/**
 * Digest of any JSON value. The order of an object's fields and the form of a number do not matter.
 * An undefined value counts as null, an undefined field as absent.
 */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, DIGEST_LENGTH);
}

/** Digest of each top-level field, to find out later which fields changed. */
export function fieldDigests(content: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([field, value]) => [field, digestOf(value)]),
  );
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof ExactNumber) return decimalOf(value.text);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, member]) => `${JSON.stringify(field)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
