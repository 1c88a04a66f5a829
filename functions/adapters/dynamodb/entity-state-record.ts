import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fieldDigests } from '../../core/model/digest.ts';
import type { JsonObject } from '../../core/model/entity.ts';
import type { PendingEvent, EntityKey, EntityState } from '../../core/model/entity-state.ts';

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
export interface EntityStateRecord {
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

/** All but what an entity holds. */
type Frame = Omit<EntityStateRecord, 'c' | 'h'>;

/**
 * Writes a known entity down. Content is deflated when that saves write units. What does not fit is
 * left out: first the content, in favour of its digests, then those too. Version and deletion always
 * stay, so an unchanged entity is always recognised.
 *
 * @param keyBytes what the names and values of the item's keys take.
 */
export function stateToRecord(known: EntityState, keyBytes: number): EntityStateRecord {
  const { version, sequence, deleted, missing, nested, pendingEvent, content, digests } = known;
  const frame: Frame = {
    v: version,
    ...(sequence !== version && { s: sequence }),
    ...(deleted && { d: true }),
    ...(missing !== undefined && { m: missing }),
    ...(nested !== undefined && { n: JSON.stringify(nested) }),
    ...(pendingEvent !== undefined && {
      a: JSON.stringify({ ...pendingEvent, previous: undefined }),
    }),
  };
  const contentJson = content && JSON.stringify(content);
  const empty = sized(frame, keyBytes);
  const told =
    pendingEvent === undefined
      ? empty
      : sized({ ...frame, a: JSON.stringify(pendingEvent) }, keyBytes);
  const whole = withJson(withJson(told, 'c', contentJson), 'h', digests && JSON.stringify(digests));
  if (fits(whole)) return whole.record;
  // Old values that an event may tell once more are worth less than the content.
  const untold = withJson(empty, 'c', contentJson);
  if (pendingEvent !== undefined && content !== undefined && fits(untold)) return untold.record;
  const instead = content === undefined ? digests : fieldDigests(content);
  const digested = withJson(empty, 'h', instead && JSON.stringify(instead));
  return fits(digested) ? digested.record : frame;
}

/** Reads a known entity that {@link stateToRecord} wrote. */
export function stateFromRecord(key: EntityKey, record: EntityStateRecord): EntityState {
  const { v: version, s: sequence = version, d: deleted = false, m: missing, n, a, c, h } = record;
  const known =
    c === undefined
      ? { key, version, sequence, deleted }
      : new StateWithContent(key, version, sequence, deleted, c);
  // Most have none of these: spreading nothing four times would take longer than all else.
  if ((missing ?? n ?? a ?? h) === undefined) return known;
  return Object.assign(known, {
    ...(missing !== undefined && { missing }),
    ...(n !== undefined && { nested: parse(n) as Record<string, string> }),
    ...(a !== undefined && { pendingEvent: parse(a) as PendingEvent }),
    ...(h !== undefined && { digests: parse(h) as Record<string, string> }),
  });
}

/**
 * A known entity whose content is read when somebody looks at it: nobody does when nothing changed, and
 * mostly nothing has. It is looked at once, so what was read is not kept: a page of it is a lot to
 * carry along.
 */
class StateWithContent implements EntityState {
  readonly key: EntityKey;
  readonly version: string;
  readonly sequence: string;
  readonly deleted: boolean;
  declare readonly content: JsonObject;
  readonly #stored: StoredJson;

  constructor(
    key: EntityKey,
    version: string,
    sequence: string,
    deleted: boolean,
    stored: StoredJson,
  ) {
    this.key = key;
    this.version = version;
    this.sequence = sequence;
    this.deleted = deleted;
    this.#stored = stored;
    Object.defineProperty(this, 'content', StateWithContent.#content);
  }

  /**
   * The object's own, so that a copy has it too. One for all objects: a getter in an object literal is
   * made anew for each, which takes longer than all else that is done with an unchanged entity.
   */
  static readonly #content: PropertyDescriptor & ThisType<StateWithContent> = {
    enumerable: true,
    get() {
      return parse(this.#stored) as JsonObject;
    },
  };
}

function parse(json: StoredJson): unknown {
  return JSON.parse(typeof json === 'string' ? json : inflateRawSync(json).toString());
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
  const deflatedBytes = bytes + name.length + deflated.byteLength;
  return writeUnits(deflatedBytes) < writeUnits(plainBytes)
    ? { record: { ...record, [name]: deflated }, bytes: deflatedBytes }
    : plain;
}

function writeUnits(bytes: number): number {
  return Math.ceil(bytes / WRITE_UNIT_BYTES);
}

/** UTF-8 bytes of the names and values of all but the content, a boolean counting as one. */
function bytesOf({ v, s, d, m, n, a }: Frame): number {
  // Timestamps have a byte for each character.
  let bytes = 'v'.length + v.length;
  if (s !== undefined) bytes += 's'.length + s.length;
  if (d !== undefined) bytes += 'd'.length + 1;
  if (m !== undefined) bytes += 'm'.length + 1;
  if (n !== undefined) bytes += 'n'.length + Buffer.byteLength(n);
  if (a !== undefined) bytes += 'a'.length + Buffer.byteLength(a);
  return bytes;
}
