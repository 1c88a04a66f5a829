/** Limits of one call. */
export interface BatchLimits<T> {
  readonly maxItems: number;
  /** Summed over the items of a call. */
  readonly maxBytes: number;
  /** Size of one item in bytes, as the called service counts it. */
  readonly bytesOf: (item: T) => number;
}

/**
 * Cuts a list into batches within the limits, in the order given. An item over `maxBytes` gets a
 * batch of its own.
 */
export function packBatches<T>(items: readonly T[], limits: BatchLimits<T>): T[][] {
  const { maxItems, maxBytes, bytesOf } = limits;
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (batch.length === 0 || batch.length === maxItems || bytes + size > maxBytes) {
      batch = [];
      bytes = 0;
      batches.push(batch);
    }
    batch.push(item);
    bytes += size;
  }
  return batches;
}
