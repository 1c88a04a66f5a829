import { gunzipSync, gzipSync } from 'node:zlib';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Row } from './attributes.ts';
import { twoDigits } from './keys.ts';
import type { Table } from './table.ts';

/** Keeps an item below DynamoDB's limit of 400 KB. */
const PART_BYTES = 390 * 1024;

const keyOf = (shard: number): string => `shard#${shard}`;

/** Keeps the poll history of each shard, gzipped and cut into as many items as it takes. */
export function makeHistoryStore(table: Table) {
  return {
    async loadPollHistory(shard) {
      return joinParts(await table.query({ pk: keyOf(shard), isConsistent: false }));
    },

    async savePollHistory(shard, encoded) {
      await table.forEach([...pollHistoryParts(encoded).entries()], ([n, part]) =>
        table.put({ pk: keyOf(shard), sk: `history${twoDigits(n)}`, ...part }),
      );
    },
  } satisfies Partial<StateStore>;
}

/** A part of a poll history. */
export interface PollHistoryPart extends Row {
  /** A slice of the gzipped history. */
  readonly data: Uint8Array;
  readonly partCount: number;
}

/** Compresses the encoded history and cuts it into parts, in order; nearly always one. */
export function pollHistoryParts(encoded: Uint8Array, partBytes = PART_BYTES): PollHistoryPart[] {
  const gzipped = gzipSync(encoded);
  const partCount = Math.ceil(gzipped.length / partBytes);
  return Array.from({ length: partCount }, (_, n) => {
    return { data: gzipped.subarray(n * partBytes, (n + 1) * partBytes), partCount };
  });
}

/**
 * Joins the parts and decompresses them. The checksum of gzip detects parts that were not saved
 * together.
 *
 * @param parts in order; parts of an earlier, larger history may follow.
 * @returns undefined when there is none, or it cannot be read.
 */
export function joinParts(parts: readonly Row[]): Uint8Array | undefined {
  const slices = (parts as readonly Partial<PollHistoryPart>[])
    .slice(0, parts[0]?.['partCount'] as number)
    .map(({ data }) => data ?? new Uint8Array());
  try {
    return slices.length === 0 ? undefined : gunzipSync(Buffer.concat(slices));
  } catch {
    // A lost history does no harm. Failing would stop all polls.
    return undefined;
  }
}
