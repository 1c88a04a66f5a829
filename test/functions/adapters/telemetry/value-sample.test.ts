import { expect, it } from 'vitest';
import { ValueSample } from '../../../../functions/adapters/telemetry/value-sample.ts';

function sampleOf(values: readonly number[]): readonly number[] {
  const sample = new ValueSample();
  for (const value of values) sample.add(value);
  return sample.take();
}

it.each([[[]], [[7]], [[0, 0, 5]], [[1, 2, 2, 3.5]]])('keeps few values: %j', (values) => {
  expect(sampleOf(values)).toEqual(values);
});

it('keeps 99 of many values, with the percentiles and the exact maximum', () => {
  const values = Array.from({ length: 100_000 }, (_, i) => (i % 1000) / 10);
  const sample = sampleOf([...values, 12_345]);
  expect(sample).toHaveLength(99);
  const [median = NaN, p95 = NaN] = [sample[49], sample[93]];
  expect(Math.abs(median - 50)).toBeLessThan(1.5);
  expect(Math.abs(p95 - 95)).toBeLessThan(1.5);
  expect(sample.at(-1)).toBe(12_345);
});

it('starts again after it was taken', () => {
  const sample = new ValueSample();
  sample.add(9);
  sample.take();
  expect(sample.take()).toEqual([]);
  sample.add(1);
  expect(sample.take()).toEqual([1]);
});
