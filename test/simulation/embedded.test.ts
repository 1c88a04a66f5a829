import { expect, it } from 'vitest';
import { exploreEmbedded } from './embedded.ts';
import { describeViolation } from './report.ts';

/** Each takes as long as dozens of those in memory; `npm run simulate -- --embedded` runs more. */
const HISTORIES = 2;

it('the promises are kept on the embedded services, too', { timeout: 600_000 }, async () => {
  const seeds = Array.from({ length: HISTORIES }, (_, i) => i + 1);
  const found = await exploreEmbedded(seeds);
  expect(found.violations.map(describeViolation)).toEqual([]);
  expect(found.histories).toBe(HISTORIES);
});
