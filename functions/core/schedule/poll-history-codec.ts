import { PollHistory } from './poll-history.ts';
import { BUCKETS, ChangeRates } from './change-rates.ts';

const FORMAT = 2;
/** Format, checksum, time in seconds since 1970, rate table. */
const CHECKSUM_AT = 1;
const TIME_AT = 5;
const RATES_AT = 9;
const FEEDS_AT = RATES_AT + 2 * BUCKETS * 4;
/** Longer waits are not told apart. 30 days. */
const LONGEST_KNOWN_S = 2_592_000;
/** In the lowest bit, below the seconds: the feed's list was left unfinished. */
const LEFT_UNFINISHED = 1;

/**
 * Packs what is remembered of these feeds into a few bytes a feed: feeds by a hash of 24 bits of their
 * ids, in ascending order, each as the difference to the one before; then the seconds since each was
 * polled, twice, and one more if its list was left unfinished. Where two feeds share a hash, the longer
 * wait counts for both, and nothing is known of either if nothing is known of one: it is polled a little
 * too early. Compression, which the store sees to, takes the rest: many feeds were polled at one time.
 */
export function encode(memory: PollHistory, feedIds: Iterable<string>, now: number): Uint8Array {
  const ages = new Map<number, number>();
  const unknown = new Set<number>();
  for (const id of feedIds) {
    const hash = hashOf(id);
    const polledAt = memory.polledAt(id);
    if (polledAt === undefined || polledAt > now) {
      unknown.add(hash);
      continue;
    }
    const seconds = Math.min(Math.ceil((now - polledAt) / 1000), LONGEST_KNOWN_S);
    const age = 2 * seconds + (memory.isUnfinished(id) ? LEFT_UNFINISHED : 0);
    ages.set(hash, Math.max(age, ages.get(hash) ?? 0));
  }
  for (const hash of unknown) ages.delete(hash);
  const hashes = Uint32Array.from(ages.keys()).sort();
  const bytes = new Uint8Array(FEEDS_AT + 5 + hashes.length * 8);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, FORMAT);
  view.setUint32(TIME_AT, Math.floor(now / 1000));
  for (let kind = 0; kind < BUCKETS; kind += 1) {
    view.setFloat32(RATES_AT + 8 * kind, memory.rates.changes[kind] ?? 0);
    view.setFloat32(RATES_AT + 8 * kind + 4, memory.rates.observedMs[kind] ?? 0);
  }
  let end = putNumber(bytes, FEEDS_AT, hashes.length);
  let before = 0;
  for (const hash of hashes) {
    end = putNumber(bytes, end, hash - before);
    before = hash;
  }
  for (const hash of hashes) end = putNumber(bytes, end, ages.get(hash) ?? 0);
  view.setUint32(CHECKSUM_AT, checksum(bytes.subarray(TIME_AT, end)));
  return bytes.slice(0, end);
}

/**
 * Unpacks what {@link encode} packed. What is not whole, or of another format, is no memory at all.
 *
 * @param now milliseconds since 1970. Rates that were learned long ago count less.
 * @param lastsMs how long it is known when feeds were polled: what was packed earlier tells nothing of
 *   the polls that came after it and were not packed.
 */
export function decode(
  bytes: Uint8Array | undefined,
  feedIds: Iterable<string>,
  now: number,
  lastsMs = Infinity,
): PollHistory {
  const isWhole = bytes !== undefined && bytes.length > FEEDS_AT && bytes[0] === FORMAT;
  if (!isWhole) return new PollHistory();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(CHECKSUM_AT) !== checksum(bytes.subarray(TIME_AT))) return new PollHistory();
  const packedAt = view.getUint32(TIME_AT) * 1000;
  const changes = new Float32Array(BUCKETS);
  const observedMs = new Float32Array(BUCKETS);
  for (let kind = 0; kind < BUCKETS; kind += 1) {
    changes[kind] = view.getFloat32(RATES_AT + 8 * kind);
    observedMs[kind] = view.getFloat32(RATES_AT + 8 * kind + 4);
  }
  const rates = new ChangeRates({ changes, observedMs });
  rates.forget(now - packedAt);
  if (now - packedAt > lastsMs) return new PollHistory(rates);
  const ages = packedAges(bytes);
  const byId = new Map<string, number>();
  const unfinished = new Set<string>();
  for (const id of feedIds) {
    const age = ages.get(hashOf(id));
    if (age === undefined) continue;
    byId.set(id, packedAt - Math.floor(age / 2) * 1000);
    if (age % 2 === LEFT_UNFINISHED) unfinished.add(id);
  }
  return new PollHistory(rates, byId, unfinished);
}

/** Twice the seconds since feeds were polled, and whether they were left unfinished, by hash. */
function packedAges(bytes: Uint8Array): Map<number, number> {
  const reader = { bytes, at: FEEDS_AT };
  const count = takeNumber(reader);
  const hashes = new Uint32Array(Math.min(count, bytes.length));
  let hash = 0;
  for (let i = 0; i < hashes.length; i += 1) hashes[i] = hash += takeNumber(reader);
  return new Map(Array.from(hashes, (each) => [each, takeNumber(reader)]));
}

/** FNV-1a, folded to 24 bits. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return ((hash >>> 24) ^ hash) & 0xffffff;
}

/** FNV-1a. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Writes seven bits a byte, the lowest first; the eighth says that there are more. */
function putNumber(bytes: Uint8Array, at: number, value: number): number {
  let [end, rest] = [at, value];
  for (; rest > 127; rest >>>= 7) bytes[end++] = (rest & 127) | 128;
  bytes[end++] = rest;
  return end;
}

function takeNumber(reader: { readonly bytes: Uint8Array; at: number }): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = reader.bytes[reader.at++] ?? 0;
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
}
