import { expect, it } from 'vitest';
import { pageBytesIn } from '../../../functions/poll/page-buffer-bytes.ts';

it.each([
  ['512', 20],
  ['256', 4],
  ['128', 1],
  ['10240', 64],
  [undefined, 1],
])('of %s MB of memory, %i MB are for the bodies of pages', (memoryMb, megabytes) => {
  expect(pageBytesIn(memoryMb)).toBe(megabytes * 1e6);
});
