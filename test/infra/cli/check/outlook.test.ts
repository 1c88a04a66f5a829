import { expect, it } from 'vitest';
import { outlookOf } from '../../../../infra/cli/check/outlook.ts';
import { parseConfig } from '../../../../infra/config/config.ts';
import { ADDRESSES } from '../../../support/config-samples.ts';

function outlook(projects: number, fields: object = {}) {
  const { prod } = parseConfig({ prod: { ...ADDRESSES, ...fields } });
  if (prod === undefined) throw new Error('no stage');
  return outlookOf(prod, projects, 2);
}

// The figures of docs/scale-and-cost.md.
it.each([
  [250, 501, 120, 19],
  [1_000, 2_001, 300, 70],
  [10_000, 20_001, 2_460, 691],
  [100_000, 200_001, 24_060, 6_898],
])(
  '%i projects have %i lists, polled in %i s, and need %i requests a minute',
  (projects, lists, turnSeconds, neededRequestsPerMinute) => {
    expect(outlook(projects)).toMatchObject({ lists, turnSeconds, neededRequestsPerMinute });
  },
);

it('the budget keeps maxWaitSeconds, or it does not', () => {
  expect(outlook(7_000)).toMatchObject({ maxWaitSeconds: 1800, isEnough: true });
  expect(outlook(8_000).isEnough).toBe(false);
  expect(outlook(8_000, { maxWaitSeconds: 3600 }).isEnough).toBe(true);
});

it('the minute of a run counts, not those until the next one', () => {
  const config = { everyMinutes: 15, requestsPerMinute: 110 };
  const expected = { neededRequestsPerMinute: 101, turnSeconds: 1800 };
  expect(outlook(100, config)).toMatchObject(expected);
});
