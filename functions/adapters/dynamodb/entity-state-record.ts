import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  decodeEvent,
  encodeEvent,
  type EntityKey,
  type EntityState,
} from '../../core/model/entity-state.ts';
import type { JsonObject } from '../../core/model/entity.ts';
import { fieldDigests } from '../../core/model/json/digest.ts';
import { parseJson } from '../../core/model/json/json.ts';

/** DynamoDB's limit of 400 KB an item, less a margin for differences in how it counts. */
const MAX_ITEM_BYTES = 400 * 1024 - 512;
/** A number, see the limits of DynamoDB's numbers. */
const NUMBER_BYTES = 21;
/** Each started KB of an item costs one write unit. */
const WRITE_UNIT_BYTES = 1024;

/**
 * An entity state as the table holds it, besides its key. Names are single letters and defaults are
 * left out, since every KB is billed.
 */
export interface EntityStateRecord {
  /** Version. */
  readonly v: string;
  /** Sequence, if it differs from the version. */
  readonly s?: string | undefined;
  /** True when deleted. */
  readonly d?: true | undefined;
  /** When the last change was inferred, if it was. */
  readonly m?: string | undefined;
  /** JSON of the nested lists' digests. */
  readonly n?: string | undefined;
  /** When the table may delete it (TTL), in seconds since 1970. */
  readonly z?: number | undefined;
  /** The last event, encoded. */
  readonly e?: string | undefined;
  /** While that is unpublished: JSON of its old values, `null` if they were too large. */
  readonly u?: string | undefined;
  /** JSON of the content, deflated if that saves write units. */
  readonly c?: string | Uint8Array | undefined;
  /** JSON of the field digests. */
  readonly h?: string | undefined;
}

/** The table deletes a state later than that, since the clocks of hosts differ. */
const CLOCK_MARGIN_SECONDS = 3600;

/** The parts that a state loses while it is too large, in this order. */
const REDUCTIONS = [withoutOldValues, withDigests, withoutFields];

/**
 * Encodes an entity state. Content is deflated when that saves write units. Version, deletion and
 * action always stay, so an unchanged entity is always recognised.
 *
 * @param keyBytes bytes of the names and values of the item's keys.
 */
export function stateToRecord(state: EntityState, keyBytes: number): EntityStateRecord {
  let reduced = state;
  let encoded = encode(state, keyBytes);
  for (const reduce of REDUCTIONS) {
    if (encoded.bytes <= MAX_ITEM_BYTES) break;
    reduced = reduce(reduced);
    encoded = encode(reduced, keyBytes);
  }
  return encoded.record;
}

/** Only a replay needs the event of a published state: the content matters more. */
function withoutOldValues({ event, ...state }: EntityState): EntityState {
  if (state.unpublished === undefined) return state;
  return { ...state, ...(event !== undefined && { event }), unpublished: {} };
}

function withDigests({ content, ...state }: EntityState): EntityState {
  return content === undefined ? state : { ...state, digests: fieldDigests(content()) };
}

/** Keeps nothing of the fields but the action of the last event. */
function withoutFields({ digests: _, event, ...state }: EntityState): EntityState {
  const action = event === undefined ? undefined : decodeEvent(event)?.action;
  return action === undefined ? state : { ...state, event: encodeEvent({ action }) };
}

/** Decodes a record that {@link stateToRecord} made. The content is parsed when it is read. */
export function stateFromRecord(key: EntityKey, record: EntityStateRecord): EntityState {
  const { v: version, s: sequence = version, d: deleted = false, m, n, e, u, c, h } = record;
  return {
    key,
    version,
    sequence,
    deleted,
    inferred: m,
    event: e,
    unpublished: u === undefined ? undefined : unpublishedIn(u),
    nested: n === undefined ? undefined : (parse(n) as Record<string, string>),
    content: c === undefined ? undefined : () => parse(c) as JsonObject,
    digests: h === undefined ? undefined : (parse(h) as Record<string, string>),
  };
}

function unpublishedIn(json: string) {
  const previous = parse(json) as JsonObject | null;
  return previous === null ? {} : { previous };
}

function parse(json: string | Uint8Array): unknown {
  return parseJson(typeof json === 'string' ? json : inflateRawSync(json).toString());
}

/** A record with its size as an item. */
interface Sized {
  readonly record: EntityStateRecord;
  readonly bytes: number;
}

function encode(state: EntityState, keyBytes: number): Sized {
  const { version, sequence, deleted, expiresAt, unpublished, content } = state;
  const json = content && JSON.stringify(content());
  const record: EntityStateRecord = {
    v: version,
    s: sequence === version ? undefined : sequence,
    d: deleted ? true : undefined,
    m: state.inferred,
    n: state.nested && JSON.stringify(state.nested),
    z: expiresAt && Math.ceil(expiresAt / 1000) + CLOCK_MARGIN_SECONDS,
    e: state.event,
    u: unpublished && JSON.stringify(unpublished.previous ?? null),
    c: json,
    h: state.digests && JSON.stringify(state.digests),
  };
  const plain = { record, bytes: keyBytes + bytesOf(record) };
  if (json === undefined || writeUnits(plain) === 1) return plain;
  const smaller = { ...record, c: deflateRawSync(json, { level: 1 }) };
  const deflated = { record: smaller, bytes: keyBytes + bytesOf(smaller) };
  return writeUnits(deflated) < writeUnits(plain) ? deflated : plain;
}

function writeUnits({ bytes }: Sized): number {
  return Math.ceil(bytes / WRITE_UNIT_BYTES);
}

/** Bytes of names and values; a text counts in UTF-8, and a boolean as one. */
function bytesOf(record: EntityStateRecord): number {
  let bytes = 0;
  for (const name in record) {
    const value = record[name as keyof EntityStateRecord];
    if (value !== undefined) bytes += name.length + bytesOfValue(value);
  }
  return bytes;
}

function bytesOfValue(value: string | number | boolean | Uint8Array): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return NUMBER_BYTES;
  return typeof value === 'boolean' ? 1 : value.byteLength;
}
