import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packBatches } from '../../../../functions/adapters/sns/pack-batches.ts';

describe('packBatches', () => {
  it('keeps all items in order, within both limits, and fills each batch', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 });
    const limits = fc.record({
      maxItems: fc.integer({ min: 1, max: 12 }),
      maxBytes: fc.integer({ min: 60, max: 200 }),
    });
    fc.assert(
      fc.property(sizes, limits, (items, { maxItems, maxBytes }) => {
        const batches = packBatches(items, { maxItems, maxBytes, bytesOf: (size) => size });
        expect(batches.flat()).toEqual(items);
        batches.forEach((batch, i) => {
          const [sum, next] = [sumOf(batch), batches[i + 1]?.[0]];
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          expect(sum).toBeLessThanOrEqual(maxBytes);
          if (next !== undefined) {
            expect(batch.length === maxItems || sum + next > maxBytes).toBe(true);
          }
        });
      }),
    );
  });

  it('gives an item over the limit a batch of its own', () => {
    const limits = { maxItems: 10, maxBytes: 5, bytesOf: (size: number) => size };
    expect(packBatches([1, 9, 2], limits)).toEqual([[1], [9], [2]]);
    expect(packBatches([9, 1, 2], limits)).toEqual([[9], [1, 2]]);
  });
});

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
