import { quote } from './quote.ts';
import { parseTimestamp } from './timestamp.ts';

/** A JSON object as the service sent it. Unknown fields pass through untouched. */
export type JsonObject = Record<string, unknown>;

/**
 * An entity that passed the door: `id` and `updated_at` are usable, `deleted_at` and `created_at`
 * are timestamps, null or absent (spec, "Resources and their fields"). Everything else is as the
 * service sent it.
 */
export interface Entity extends JsonObject {
  readonly id: string;
  readonly updated_at: string;
  readonly deleted_at?: string | null;
  readonly created_at?: string | null;
}

/** Something in a list that cannot be worked with; it goes whole to the quarantine. */
export interface InvalidEntity {
  /** What the service sent. */
  readonly value: unknown;
  /** Which field is unusable, its value, and what is allowed. */
  readonly reason: string;
}

/**
 * Ids are UUIDs (spec, "Notation"); other names are let through as long as they are safe as one
 * segment of a path and of a table key.
 */
const VALID_ID = /^(?=.*[A-Za-z0-9])[A-Za-z0-9._:~-]{1,128}$/;

/**
 * Checks what came in a list. Written by hand, not with a schema, since it runs for every entity of
 * every page and must neither copy nor change the object.
 *
 * @returns undefined when the value is an {@link Entity}, else the reason why not.
 */
export function invalidReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `an entity must be an object, got ${quote(value)}`;
  }
  const { id, updated_at, deleted_at, created_at } = value as JsonObject;
  if (typeof id !== 'string' || !VALID_ID.test(id)) {
    return `id must be a UUID or another text of at most 128 letters, digits and . _ : ~ -, got ${quote(id)}`;
  }
  if (parseTimestamp(updated_at) === undefined) {
    return `updated_at must be an ISO 8601 UTC timestamp, got ${quote(updated_at)}`;
  }
  return invalidTimeReason('deleted_at', deleted_at) ?? invalidTimeReason('created_at', created_at);
}

function invalidTimeReason(field: string, time: unknown): string | undefined {
  if (time === undefined || time === null || parseTimestamp(time) !== undefined) return undefined;
  return `${field} must be an ISO 8601 UTC timestamp or null, got ${quote(time)}`;
}

/** Splits a list into entities and what is unusable, keeping the order of both. */
export function validateEntities(values: readonly unknown[]): {
  entities: Entity[];
  invalid: InvalidEntity[];
} {
  const entities: Entity[] = [];
  const invalid: InvalidEntity[] = [];
  for (const value of values) {
    const reason = invalidReason(value);
    if (reason === undefined) entities.push(value as Entity);
    else invalid.push({ value, reason });
  }
  return { entities, invalid };
}
