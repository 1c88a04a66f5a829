import { cutToDepth, isDeeperThan, MAX_DEPTH } from './json/depth.ts';
import { ExactNumber } from './json/json.ts';
import { kindOf, quoteScalar } from './json/quote.ts';
import { parseTimestamp, type Timestamp } from './timestamp.ts';

/** A JSON object as the service sent it. Unknown fields pass through untouched. */
export type JsonObject = Record<string, unknown>;

/**
 * An entity whose `id`, `updated_at` and `deleted_at` are valid (spec, "Resources and their
 * fields"). Other fields are as the service sent them.
 */
export interface Entity extends JsonObject {
  /** As the service sent it. Use {@link idOf}: keys, subjects and feeds name an entity by text. */
  readonly id: string | number;
  readonly updated_at: string;
  readonly deleted_at?: string | null;
}

/** A value in a list that is no valid entity. It goes to the quarantine. */
export interface InvalidEntity {
  readonly value: unknown;
  /** Names the invalid field, its value, and the allowed values. */
  readonly reason: string;
  /** API path of the nested list that shows it, and version of the parent. */
  readonly parent?: { readonly path: string; readonly version: Timestamp };
}

/** Ids are UUIDs (spec, "Notation"). Others are valid if safe in a path and in a table key. */
const VALID_ID = /^(?=.*[A-Za-z0-9])[A-Za-z0-9._:~-]{1,128}$/;

const ID_RULE =
  'id must be a text of 1 to 128 letters, digits and . _ : ~ -, or an integer up to 2^53 - 1';

/**
 * The reason why a value is no {@link Entity}; undefined when it is one. No schema: it runs for
 * every entity of every page and must not copy the object.
 */
export function invalidReason(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof ExactNumber) {
    return `an entity must be an object, got ${kindOf(value)}`;
  }
  const { id, updated_at, deleted_at } = value as JsonObject;
  if (!isValidId(id)) return `${ID_RULE}, got ${quoteScalar(id)}`;
  if (parseTimestamp(updated_at) === undefined) {
    return `updated_at must be an ISO 8601 UTC timestamp, got ${quoteScalar(updated_at)}`;
  }
  if (deleted_at === undefined || deleted_at === null) return undefined;
  const isTime = parseTimestamp(deleted_at)?.startsWith('000') === false;
  if (isTime) return undefined;
  const rule = 'deleted_at must be null or an ISO 8601 UTC timestamp after the year 9';
  return `${rule}, got ${quoteScalar(deleted_at)}`;
}

function isValidId(id: unknown): id is Entity['id'] {
  return typeof id === 'string' ? VALID_ID.test(id) : Number.isSafeInteger(id);
}

/** The id of an entity, as text. */
export function idOf({ id }: Pick<Entity, 'id'>): string {
  return String(id);
}

/** The id of a value, valid or not, as text; undefined if the id itself is invalid. */
export function validIdOf(value: unknown): string | undefined {
  const id = (value as JsonObject | null)?.['id'];
  return isValidId(id) ? String(id) : undefined;
}

/** The reason why a value has too many levels for an entity; undefined when it has not. */
export function depthReason(value: unknown): string | undefined {
  if (!isDeeperThan(value, MAX_DEPTH)) return undefined;
  return `an entity must have at most ${MAX_DEPTH} levels of objects and arrays, got more`;
}

/**
 * Splits a list into valid and invalid entities, keeping the order of both.
 *
 * @param reasonOf the reason why a value is invalid.
 */
export function validateEntities(
  values: readonly unknown[],
  reasonOf: typeof invalidReason = invalidReason,
): { entities: Entity[]; invalid: InvalidEntity[] } {
  const entities: Entity[] = [];
  const invalid: InvalidEntity[] = [];
  for (const value of values) {
    const reason = reasonOf(value);
    if (reason === undefined) entities.push(value as Entity);
    else invalid.push({ value: cutToDepth(value), reason });
  }
  return { entities, invalid };
}

/** The account that a project names, as text. */
export function accountOf(project: JsonObject): { readonly accountId?: string } {
  const account = project['account_id'];
  const isId = ['number', 'string'].includes(typeof account) || account instanceof ExactNumber;
  return isId ? { accountId: String(account) } : {};
}
