import { expect, it } from 'vitest';
import { weightOf } from '../../../../../functions/core/model/json/weight.ts';

it.each([
  ['1', 0],
  ['[{},[],{"a":[{}]}]', 6 * 200 + 2 * 50],
  ['["{[", "\\"{", {}]', 2 * 200 + 2 * 50],
  ['{"a":1,"b,":",,"}', 200 + 50],
  ['[{}', 2 * 200],
  ['["{', 200],
])('%s weighs %i bytes', (text, weight) => {
  expect(weightOf(text, 0)).toBe(weight);
});

it('a body is not too heavy for the brackets and commas within its texts', () => {
  const text = `["${'[,'.repeat(100)}"]`;
  expect(weightOf(text, 200)).toBe(200);
  expect(weightOf(text, 1e6)).toBe(101 * 200 + 100 * 50);
});
