import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fieldDigests } from '../../core/digest.ts';
import type { JsonObject } from '../../core/entity.ts';
import type { Announcement, EntityKey, Known } from '../../core/known.ts';

/** DynamoDB's limit of 400 KB an item, less some room in case it counts a little differently. */
const MAX_ITEM_BYTES = 400 * 1024 - 512;
/** A write costs a unit per started KB. */
const WRITE_UNIT_BYTES = 1024;

/** JSON as text, or deflated. */
export type StoredJson = string | Uint8Array;

/**
 * A known entity as the table holds it, besides its key. Names are single letters and defaults
 * are left out, since every KB is paid for.
 */
export interface KnownRecord {
  /** Version. */
  readonly v: string;
  /** Sequence, where it is not the version. */
  readonly s?: string;
  /** True when deleted. */
  readonly d?: true;
  /** Missing from its parent's list. */
  readonly m?: boolean;
  /** JSON of the nested lists' digests. */
  readonly n?: string;
  /** JSON of what an event tells that may have been published. */
  readonly a?: string;
  /** Content. */
  readonly c?: StoredJson;
  /** Field digests. */
  readonly h?: StoredJson;
}

/**
 * Writes a known entity down. Content is deflated when that saves write units. What does not fit is
 * left out: first the content, in favour of its digests, then those too. Version and deletion always
 * stay, so an unchanged entity is always recognised.
 *
 * @param keyBytes what the names and values of the item's keys take.
 */
export function knownToRecord(known: Known, keyBytes: number): KnownRecord {
  const { version, sequence, deleted, missing, nested, announced, content, digests } = known;
  const frame: KnownRecord = {
    v: version,
    ...(sequence !== version && { s: sequence }),
    ...(deleted && { d: true }),
    ...(missing !== undefined && { m: missing }),
    ...(nested !== undefined && { n: JSON.stringify(nested) }),
    ...(announced !== undefined && { a: JSON.stringify({ ...announced, previous: undefined }) }),
  };
  const fits = (record: KnownRecord): boolean => keyBytes + bytesOf(record) <= MAX_ITEM_BYTES;
  const told = announced === undefined ? frame : { ...frame, a: JSON.stringify(announced) };
  const whole = withJson(withJson(told, 'c', content, keyBytes), 'h', digests, keyBytes);
  if (fits(whole)) return whole;
  // Old values that an event may tell once more are worth less than the content.
  const untold = withJson(frame, 'c', content, keyBytes);
  if (announced !== undefined && content !== undefined && fits(untold)) return untold;
  const instead = content === undefined ? digests : fieldDigests(content);
  const digested = withJson(frame, 'h', instead, keyBytes);
  return fits(digested) ? digested : frame;
}

/** Reads a known entity that {@link knownToRecord} wrote. */
export function knownFromRecord(key: EntityKey, record: KnownRecord): Known {
  const { v: version, s: sequence = version, d: deleted = false, m: missing, n, a, c, h } = record;
  const parse = (json: StoredJson): unknown =>
    JSON.parse(typeof json === 'string' ? json : inflateRawSync(json).toString());
  return {
    key,
    version,
    sequence,
    deleted,
    ...(missing !== undefined && { missing }),
    ...(n !== undefined && { nested: parse(n) as Record<string, string> }),
    ...(a !== undefined && { announced: parse(a) as Announcement }),
    ...(c !== undefined && { content: parse(c) as JsonObject }),
    ...(h !== undefined && { digests: parse(h) as Record<string, string> }),
  };
}

function withJson(
  record: KnownRecord,
  name: 'c' | 'h',
  value: object | undefined,
  keyBytes: number,
): KnownRecord {
  if (value === undefined) return record;
  const json = JSON.stringify(value);
  const plain = { ...record, [name]: json };
  const units = writeUnits(plain, keyBytes);
  if (units === 1) return plain;
  const deflated = { ...record, [name]: deflateRawSync(json, { level: 1 }) };
  return writeUnits(deflated, keyBytes) < units ? deflated : plain;
}

function writeUnits(record: KnownRecord, keyBytes: number): number {
  return Math.ceil((keyBytes + bytesOf(record)) / WRITE_UNIT_BYTES);
}

/** UTF-8 bytes of names and values, a boolean counting as one. */
function bytesOf(record: KnownRecord): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(record) as [string, StoredJson | boolean][]) {
    bytes += name.length;
    if (typeof value === 'boolean') bytes += 1;
    else bytes += typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength;
  }
  return bytes;
}
