import * as z from 'zod/mini';
import { hashOf } from '../model/feed.ts';
import { BUCKETS, ChangeRates } from './change-rates.ts';
import { noteShape, type Note } from './note.ts';
import { PollHistory } from './poll-history.ts';

const FORMAT = 5;

const cells = z.array(z.number()).check(z.length(BUCKETS));

/**
 * A poll history as JSON. Feeds are named by hashes, each list of them ascending and as
 * differences.
 */
const encodedHistory = z.object({
  format: z.literal(FORMAT),
  /** Seconds since 1970. */
  savedAt: z.number(),
  changes: cells,
  observedMs: cells,
  /**
   * By the seconds from a poll to `savedAt`: the feeds polled then. Most were polled in the same
   * sweeps.
   */
  polls: z.array(z.tuple([z.number(), z.array(z.number())])),
  unfinished: z.array(z.number()),
  note: z.optional(z.unknown()),
});

/**
 * Encodes the history of these feeds. The store compresses it, to some four bytes a feed.
 *
 * Two feeds may share a hash: the longer wait then counts for both, so none is polled too late.
 */
export function encode(
  history: PollHistory,
  feedIds: Iterable<string>,
  now: number,
  note: Note = {},
): Uint8Array {
  const savedAt = Math.floor(now / 1000);
  const ages = new Map<number, number>();
  const unfinished = new Set<number>();
  for (const id of feedIds) {
    const polledAt = history.polledAt(id);
    if (polledAt === undefined) continue;
    const hash = hashOf(id);
    ages.set(hash, Math.max(Math.ceil((now - polledAt) / 1000), ages.get(hash) ?? 0));
    if (history.isUnfinished(id)) unfinished.add(hash);
  }
  const polls = Map.groupBy(ages.keys(), (hash) => ages.get(hash) ?? 0);
  const encoded: z.infer<typeof encodedHistory> = {
    format: FORMAT,
    savedAt,
    changes: Array.from(history.rates.changes, rounded),
    observedMs: Array.from(history.rates.observedMs, rounded),
    polls: Array.from(polls, ([age, hashes]) => [age, differences(hashes)]),
    unfinished: differences(unfinished),
    note,
  };
  return new TextEncoder().encode(JSON.stringify(encoded));
}

/**
 * Decodes the output of {@link encode}. Any other bytes are an empty history.
 *
 * @param now milliseconds since 1970; rates that were saved long ago count less.
 */
export function decode(
  bytes: Uint8Array | undefined,
  feedIds: Iterable<string>,
  now: number,
): PollHistory {
  const encoded = parse(bytes);
  if (encoded === undefined) return new PollHistory();
  const savedAt = encoded.savedAt * 1000;
  const rates = new ChangeRates(encoded);
  rates.forget(now - savedAt);
  const note = noteShape.safeParse(encoded.note).data ?? {};
  const ages = new Map<number, number>();
  for (const [age, hashes] of encoded.polls) for (const hash of sums(hashes)) ages.set(hash, age);
  const unfinishedHashes = new Set(sums(encoded.unfinished));
  const polledAt = new Map<string, number>();
  const unfinished = new Set<string>();
  for (const id of feedIds) {
    const hash = hashOf(id);
    const age = ages.get(hash);
    if (age === undefined) continue;
    polledAt.set(id, savedAt - age * 1000);
    if (unfinishedHashes.has(hash)) unfinished.add(id);
  }
  return new PollHistory({ rates, polledAt, unfinished, note, savedAt });
}

function parse(bytes: Uint8Array | undefined): z.infer<typeof encodedHistory> | undefined {
  try {
    return encodedHistory.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

/** Six digits are enough for a rate. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function differences(hashes: Iterable<number>): number[] {
  const sorted = Uint32Array.from(hashes).sort();
  return Array.from(sorted, (hash, i) => hash - (sorted[i - 1] ?? 0));
}

function sums(differences: readonly number[]): number[] {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
}
