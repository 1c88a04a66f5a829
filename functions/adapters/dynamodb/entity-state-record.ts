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
  readonly s?: string;
  /** True when deleted. */
  readonly d?: true;
  /** When the last change was inferred, if it was. */
  readonly m?: string;
  /** JSON of the nested lists' digests. */
  readonly n?: string;
  /** When the table may delete it (TTL), in seconds since 1970. */
  readonly z?: number;
  /** The last event, encoded. */
  readonly e?: string;
  /** While that is unpublished: JSON of its old values, `null` if they were too large. */
  readonly u?: string;
  /** JSON of the content, deflated if that saves write units. */
  readonly c?: string | Uint8Array;
  /** JSON of the field digests. */
  readonly h?: string;
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
  const { v: version, s: sequence = version, d: deleted = false, m, n, z, e, u, c, h } = record;
  return {
    ...{ key, version, sequence, deleted },
    ...(c !== undefined && { content: () => parse(c) as JsonObject }),
    ...(e !== undefined && { event: e }),
    ...(m !== undefined && { inferred: m }),
    ...(n !== undefined && { nested: parse(n) as Record<string, string> }),
    ...(z !== undefined && { expiresAt: (z - CLOCK_MARGIN_SECONDS) * 1000 }),
    ...(u !== undefined && { unpublished: unpublishedIn(u) }),
    ...(h !== undefined && { digests: parse(h) as Record<string, string> }),
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
  const { version, sequence, deleted, inferred, nested, expiresAt, event, unpublished } = state;
  const frame = {
    v: version,
    ...(sequence !== version && { s: sequence }),
    ...(deleted && { d: true as const }),
    ...(inferred !== undefined && { m: inferred }),
    ...(nested !== undefined && { n: JSON.stringify(nested) }),
    ...(expiresAt !== undefined && { z: Math.ceil(expiresAt / 1000) + CLOCK_MARGIN_SECONDS }),
    ...(event !== undefined && { e: event }),
    ...(unpublished !== undefined && { u: JSON.stringify(unpublished.previous ?? null) }),
    ...(state.digests !== undefined && { h: JSON.stringify(state.digests) }),
  };
  const frameBytes = keyBytes + bytesOf(frame);
  if (state.content === undefined) return { record: frame, bytes: frameBytes };
  const json = JSON.stringify(state.content());
  const plain = { record: { ...frame, c: json }, bytes: frameBytes + 1 + Buffer.byteLength(json) };
  if (writeUnits(plain.bytes) === 1) return plain;
  const c = deflateRawSync(json, { level: 1 });
  const bytes = frameBytes + 1 + c.byteLength;
  return writeUnits(bytes) < writeUnits(plain.bytes) ? { record: { ...frame, c }, bytes } : plain;
}

function writeUnits(bytes: number): number {
  return Math.ceil(bytes / WRITE_UNIT_BYTES);
}

/** UTF-8 bytes of the frame's names and values; a boolean counts as one. */
function bytesOf(frame: Readonly<Record<string, string | number | boolean>>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(frame)) {
    bytes += name.length;
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else bytes += typeof value === 'number' ? NUMBER_BYTES : 1;
  }
  return bytes;
}
