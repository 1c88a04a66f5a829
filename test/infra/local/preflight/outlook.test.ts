import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../infra/config/config.ts';
import { IDLE_MONTHS, outlookOf } from '../../../../infra/local/preflight/outlook.ts';
import { ADDRESSES } from '../../../support/config-samples.ts';

function outlook(projects: number, fields: object = {}) {
  const { prod } = parseConfig({ prod: { ...ADDRESSES, ...fields } });
  if (prod === undefined) throw new Error('no stage');
  return outlookOf(prod, projects, 2);
}

describe('the outlook of a stage', () => {
  // The figures of docs/scaling.md.
  it.each([
    [250, 501, 120, 19],
    [1_000, 2_001, 300, 70],
    [10_000, 20_001, 2_460, 691],
    [100_000, 200_001, 24_060, 6_898],
  ])(
    'with %i projects has %i lists, polled in %i s, and needs %i requests a minute',
    (projects, lists, turnSeconds, neededRequestsPerMinute) => {
      expect(outlook(projects)).toMatchObject({ lists, turnSeconds, neededRequestsPerMinute });
    },
  );

  it('says whether the budget keeps maxWaitSeconds', () => {
    expect(outlook(7_000)).toMatchObject({ maxWaitSeconds: 1800, isEnough: true });
    expect(outlook(8_000).isEnough).toBe(false);
    expect(outlook(8_000, { maxWaitSeconds: 3600 }).isEnough).toBe(true);
    expect(outlook(8_000, { everyMinutes: 5 })).toMatchObject({
      isEnough: false,
      turnSeconds: 2100,
    });
  });

  it('costs what README.md says of an idle month, and grows in between', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain('10 projects cost about 2, 100 about 4');
    expect(readme).toContain('1,000 between 7.5 (idle)');
    expect(readme).toContain('10,000 between 11 and');
    for (const [projects, usd] of IDLE_MONTHS) expect(outlook(projects).idleMonthUsd).toBe(usd);
    expect(outlook(0).idleMonthUsd).toBe(2);
    expect(outlook(316).idleMonthUsd).toBeCloseTo(5.75, 1);
    expect(outlook(1_000_000).idleMonthUsd).toBe(40);
  });
});
