import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Keeps an item below DynamoDB's limit of 400 KB. */
const PART_BYTES = 390 * 1024;

/** A part of the poll history, as the table holds it besides its key. */
export interface PollHistoryPart extends Record<string, AttributeValue> {
  /** A slice of the gzipped history. */
  readonly d: AttributeValue;
  /** Number of parts. */
  readonly n: AttributeValue;
}

/** Compresses the encoded history and cuts it into parts, in order; nearly always one. */
export function pollHistoryParts(encoded: Uint8Array, partBytes = PART_BYTES): PollHistoryPart[] {
  const gzipped = gzipSync(encoded);
  const count = Math.ceil(gzipped.length / partBytes);
  return Array.from({ length: count }, (_, i) => ({
    d: { B: gzipped.subarray(i * partBytes, (i + 1) * partBytes) },
    n: { N: String(count) },
  }));
}

/**
 * Joins the parts and decompresses them. The checksum of gzip detects parts that were not saved together.
 *
 * @param parts in order; parts of an earlier, larger history may follow.
 * @returns undefined when there is none, or it cannot be read.
 */
export function joinParts(
  parts: readonly Readonly<Record<string, AttributeValue>>[],
): Uint8Array | undefined {
  const count = Number(parts[0]?.['n']?.N);
  const slices = parts.slice(0, count).map((part) => part['d']?.B ?? new Uint8Array());
  if (slices.length === 0) return undefined;
  try {
    return gunzipSync(Buffer.concat(slices));
  } catch {
    // A lost history does no harm. Failing would stop all polls.
    return undefined;
  }
}
