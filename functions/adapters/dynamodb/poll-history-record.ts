import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** What a part holds at the most, so that an item stays below DynamoDB's limit of 400 KB. */
const PART_BYTES = 390 * 1024;

/** A part of what the planner remembers, as the table holds it besides its key. */
export interface PollHistoryPart extends Record<string, AttributeValue> {
  /** Deflated, and cut. */
  readonly d: AttributeValue;
  /** The same in all parts that were saved together. */
  readonly s: AttributeValue;
  /** How many parts there are. */
  readonly n: AttributeValue;
}

/** Cuts what the planner packed into parts, in order; nearly always one. */
export function pollHistoryParts(packed: Uint8Array, partBytes = PART_BYTES): PollHistoryPart[] {
  const deflated = deflateRawSync(packed);
  const count = Math.ceil(deflated.length / partBytes);
  const stamp = randomBytes(6).toString('base64url');
  return Array.from({ length: count }, (_, i) => ({
    d: { B: deflated.subarray(i * partBytes, (i + 1) * partBytes) },
    s: { S: stamp },
    n: { N: String(count) },
  }));
}

/**
 * Puts the parts together.
 *
 * @param parts in order; further ones, of a memory that was larger, may follow.
 * @returns undefined when there is none, one is missing or of another time, or they cannot be read.
 */
export function joinParts(
  parts: readonly Readonly<Record<string, AttributeValue>>[],
): Uint8Array | undefined {
  const [first] = parts;
  const whole = parts.slice(0, Number(first?.['n']?.N));
  const isWhole = whole.length > 0 && whole.length === Number(first?.['n']?.N);
  if (!isWhole || whole.some((part) => part['s']?.S !== first?.['s']?.S)) return undefined;
  try {
    return inflateRawSync(Buffer.concat(whole.map((part) => part['d']?.B ?? new Uint8Array())));
  } catch {
    // Losing it does no harm, and failing would: nothing would be polled any more.
    return undefined;
  }
}
