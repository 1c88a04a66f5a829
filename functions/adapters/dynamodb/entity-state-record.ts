import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EntityKey, EntityState, PendingEvent } from '../../core/model/entity-state.ts';
import type { JsonObject } from '../../core/model/entity.ts';
import { fieldDigests } from '../../core/model/json/digest.ts';
import { parseJson } from '../../core/model/json/json.ts';

/** DynamoDB's limit of 400 KB an item, less a margin for differences in how it counts. */
const MAX_ITEM_BYTES = 400 * 1024 - 512;
/** A number and its name of one letter, see the limits of DynamoDB's numbers. */
const NUMBER_BYTES = 22;
/** Each started KB of an item costs one write unit. */
const WRITE_UNIT_BYTES = 1024;

/** Deflated JSON is seldom smaller than that. */
const MAX_USUAL_RATIO = 20;

/** JSON, plain or deflated. */
export type StoredJson = string | Uint8Array;

/**
 * An entity state as the table holds it, besides its key. Names are single letters and defaults are
 * left out, since every KB is billed.
 */
export interface EntityStateRecord {
  /** Version. */
  readonly v: string;
  /** Sequence, if it differs from the version. */
  readonly s?: string;
  /** True when deleted. */
  readonly d?: true;
  /** Missing from its parent's list. */
  readonly m?: boolean;
  /** When it was seen, if it is dated ahead. */
  readonly t?: string;
  /** JSON of the nested lists' digests. */
  readonly n?: string;
  /** When the table may delete it (TTL), in seconds since 1970. */
  readonly z?: number;
  /** JSON of the pending event. */
  readonly a?: string;
  /** The event that told the state, encoded. */
  readonly e?: string;
  /** Content. */
  readonly c?: StoredJson;
  /** Bytes of the content's JSON, if it is deflated. */
  readonly y?: number;
  /** Field digests. */
  readonly h?: StoredJson;
}

/** The table deletes a state later than that, since the clocks of hosts differ. */
const CLOCK_MARGIN_SECONDS = 3600;

/** The record without content and field digests. */
type Frame = Omit<EntityStateRecord, 'c' | 'y' | 'h'>;

/**
 * Encodes an entity state. Content is deflated when that saves write units. While the record is too large,
 * it loses in this order: the event that told it; the old values of a pending event; the content, for its digests; these; the
 * names of the pending event's changed fields. Version, deletion and action always stay, so an unchanged
 * entity is always recognised.
 *
 * @param keyBytes bytes of the names and values of the item's keys.
 */
export function stateToRecord(state: EntityState, keyBytes: number): EntityStateRecord {
  const { version, sequence, deleted, missing, seenAt, nested, pendingEvent } = state;
  const { digests, expiresAt, told } = state;
  const frame: Frame = {
    v: version,
    ...(sequence !== version && { s: sequence }),
    ...(deleted && { d: true }),
    ...(missing !== undefined && { m: missing }),
    ...(seenAt !== undefined && { t: seenAt }),
    ...(expiresAt !== undefined && { z: Math.ceil(expiresAt / 1000) + CLOCK_MARGIN_SECONDS }),
    ...(nested !== undefined && { n: JSON.stringify(nested) }),
    ...(told !== undefined && { e: told }),
    ...(pendingEvent !== undefined && {
      a: JSON.stringify({ ...pendingEvent, previous: undefined }),
    }),
  };
  const content = state.content?.();
  const contentJson = content && JSON.stringify(content);
  const empty = sized(frame, keyBytes);
  const withEvent =
    pendingEvent === undefined
      ? empty
      : sized({ ...frame, a: JSON.stringify(pendingEvent) }, keyBytes);
  const whole = withJson(
    withJson(withEvent, 'c', contentJson),
    'h',
    digests && JSON.stringify(digests),
  );
  if (fits(whole)) return whole.record;
  if (told !== undefined) {
    const { told: _, ...untold } = state;
    return stateToRecord(untold, keyBytes);
  }
  // The content matters more than the old values of a pending event.
  const withoutPrevious = withJson(empty, 'c', contentJson);
  if (pendingEvent !== undefined && content !== undefined && fits(withoutPrevious)) {
    return withoutPrevious.record;
  }
  const instead = content === undefined ? digests : fieldDigests(content);
  const digested = withJson(empty, 'h', instead && JSON.stringify(instead));
  if (fits(digested)) return digested.record;
  if (pendingEvent === undefined || fits(empty)) return frame;
  return { ...frame, a: JSON.stringify({ action: pendingEvent.action }) };
}

/** Decodes a record that {@link stateToRecord} made. The content is parsed when it is read. */
export function stateFromRecord(key: EntityKey, record: EntityStateRecord): EntityState {
  const { v: version, s: sequence = version, d: deleted = false, m: missing } = record;
  const { n, a, c, y, e, h, t, z } = record;
  const state: EntityState =
    c === undefined
      ? { key, version, sequence, deleted }
      : { key, version, sequence, deleted, bytes: bytesOfJson(c, y), content: contentOf(c) };
  if ((missing ?? n ?? a ?? h ?? t ?? z) === undefined) {
    return e === undefined ? state : { ...state, told: e };
  }
  return {
    ...state,
    ...(missing !== undefined && { missing }),
    ...(t !== undefined && { seenAt: t }),
    ...(z !== undefined && { expiresAt: (z - CLOCK_MARGIN_SECONDS) * 1000 }),
    ...(n !== undefined && { nested: parse(n) as Record<string, string> }),
    ...(a !== undefined && { pendingEvent: parse(a) as PendingEvent }),
    ...(e !== undefined && { told: e }),
    ...(h !== undefined && { digests: parse(h) as Record<string, string> }),
  };
}

function contentOf(json: StoredJson): () => JsonObject {
  return () => parse(json) as JsonObject;
}

/** Deflated contents of earlier releases do not tell their size. */
function bytesOfJson(json: StoredJson, inflatedBytes = json.length * MAX_USUAL_RATIO): number {
  return typeof json === 'string' ? json.length : inflatedBytes;
}

function parse(json: StoredJson): unknown {
  return parseJson(typeof json === 'string' ? json : inflateRawSync(json).toString());
}

/** A record with its size as an item. */
interface Sized {
  readonly record: EntityStateRecord;
  readonly bytes: number;
}

function sized(record: Frame, keyBytes: number): Sized {
  return { record, bytes: keyBytes + bytesOf(record) };
}

function fits({ bytes }: Sized): boolean {
  return bytes <= MAX_ITEM_BYTES;
}

function withJson({ record, bytes }: Sized, name: 'c' | 'h', json: string | undefined): Sized {
  if (json === undefined) return { record, bytes };
  const plainBytes = bytes + name.length + Buffer.byteLength(json);
  const plain = { record: { ...record, [name]: json }, bytes: plainBytes };
  if (writeUnits(plainBytes) === 1) return plain;
  const deflated = deflateRawSync(json, { level: 1 });
  const size = name === 'c' ? { y: Buffer.byteLength(json) } : {};
  const deflatedBytes = bytes + name.length + deflated.byteLength + NUMBER_BYTES;
  return writeUnits(deflatedBytes) < writeUnits(plainBytes)
    ? { record: { ...record, [name]: deflated, ...size }, bytes: deflatedBytes }
    : plain;
}

function writeUnits(bytes: number): number {
  return Math.ceil(bytes / WRITE_UNIT_BYTES);
}

/** UTF-8 bytes of the frame's names and values; a boolean counts as one. */
function bytesOf({ v, s, d, m, z, n, a, e }: Frame): number {
  // Timestamps are ASCII.
  let bytes = 'v'.length + v.length;
  if (s !== undefined) bytes += 's'.length + s.length;
  if (d !== undefined) bytes += 'd'.length + 1;
  if (m !== undefined) bytes += 'm'.length + 1;
  if (z !== undefined) bytes += NUMBER_BYTES;
  if (n !== undefined) bytes += 'n'.length + Buffer.byteLength(n);
  if (a !== undefined) bytes += 'a'.length + Buffer.byteLength(a);
  if (e !== undefined) bytes += 'e'.length + Buffer.byteLength(e);
  return bytes;
}
