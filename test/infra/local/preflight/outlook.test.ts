import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../infra/config/config.ts';
import {
  MONITORING_PRICES,
  type BilledResource,
} from '../../../../infra/local/preflight/monitoring-bill.ts';
import {
  DELIVERY_MONTHS,
  IDLE_MONTHS,
  outlookOf,
  SHARD_MONTH,
} from '../../../../infra/local/preflight/outlook.ts';
import { DELIVERY_COSTS, deliveryLines } from '../../../bench/cost/delivery-cost.ts';
import { PRICES } from '../../../bench/cost/prices.ts';
import { ADDRESSES } from '../../../support/config-samples.ts';
import { templateOf } from '../../synthesize.ts';

function outlook(
  projects: number,
  fields: object = {},
  resources: readonly BilledResource[] = [],
  listsPerProject = 2,
) {
  const { prod } = parseConfig({ prod: { ...ADDRESSES, monitoring: 'off', ...fields } });
  if (prod === undefined) throw new Error('no stage');
  return outlookOf(prod, projects, listsPerProject, resources);
}

/** The outlook of a config with all that it deploys. */
function outlookOfStack(projects: number, fields: Record<string, unknown>) {
  const { Resources } = templateOf(fields).toJSON() as {
    Resources: Record<string, BilledResource>;
  };
  return outlook(projects, fields, Object.values(Resources));
}

const read = (file: string) =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');

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
      turnSeconds: 9900,
    });
  });

  it('counts the minute of a run, not those until the next one', () => {
    const config = { everyMinutes: 15, requestsPerMinute: 110 };
    const expected = { neededRequestsPerMinute: 101, turnSeconds: 1800 };
    expect(outlook(100, config)).toMatchObject(expected);
  });

  it('costs what docs/scaling.md and README.md say of an idle month, and grows in between', () => {
    const rows = idleMonthsOf(read('docs/scaling.md'));
    const ofOneShard = rows.filter(({ shards }) => shards === 1);
    expect(ofOneShard.map(({ projects, off }) => [projects, off])).toEqual(IDLE_MONTHS);
    const [many] = rows.filter(({ shards }) => shards > 1);
    const one = ofOneShard.find(({ projects }) => projects === many?.projects);
    expect(((many?.off ?? 0) - (one?.off ?? 0)) / ((many?.shards ?? 0) - 1)).toBeCloseTo(
      SHARD_MONTH,
      2,
    );
    expect(rows.length).toBeGreaterThan(5);
    const readme = read('README.md');
    expect(readme).toContain('10 projects cost about 2.5, 100 about 4.3');
    expect(readme).toContain('1,000 between 7.7 (idle)');
    expect(readme).toContain('10,000 between 11 and');
    expect(outlook(0).idleMonthUsd).toBe(0.96);
    expect(outlook(316).idleMonthUsd).toBeCloseTo(4.5, 1);
    expect(outlook(1_000_000).idleMonthUsd).toBe(38.73);
  });

  it('costs by its lists: half of them cost what half of the projects cost', () => {
    expect(outlook(2_000, {}, [], 1).idleMonthUsd).toBeCloseTo(outlook(1_000).idleMonthUsd);
    expect(outlook(1_000, {}, [], 0)).toMatchObject({ lists: 1, idleMonthUsd: 0.96 });
  });

  it.each(['off', 'basic', 'full'] as const)(
    'costs what its shards and monitoring %s cost',
    (monitoring) => {
      for (const { projects, shards, ...usd } of idleMonthsOf(read('docs/scaling.md'))) {
        const { idleMonthUsd } = outlookOfStack(projects, { monitoring, shards });
        // A metric more where the budget is too small for maxWaitSeconds.
        expect(Math.abs(idleMonthUsd - usd[monitoring]), `${projects} × ${shards}`).toBeLessThan(
          0.35,
        );
      }
    },
  );

  it('costs what its subscribers cost: an alarm each', () => {
    const subscriber = { protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:210987654321:queue' };
    const of = (...names: string[]) =>
      outlookOfStack(10, {
        monitoring: 'basic',
        subscribers: names.map((name) => ({
          name,
          ...subscriber,
          endpoint: `${subscriber.endpoint}-${name}`,
        })),
      });
    expect(of('a', 'b').monitoringUsd - of('a').monitoringUsd).toBeCloseTo(PRICES.alarmMonth);
    expect(PRICES).toMatchObject(MONITORING_PRICES);
  });

  it('costs what docs/scaling.md says of each webhook and bus', () => {
    expect(read('docs/scaling.md')).toContain(deliveryLines());
    for (const [protocol, usd] of Object.entries(DELIVERY_MONTHS)) {
      const { idleMonth } = DELIVERY_COSTS[protocol as keyof typeof DELIVERY_COSTS];
      expect(usd).toBe(Number(idleMonth.toFixed(2)));
    }
    const webhook = { name: 'a', protocol: 'webhook', endpoint: 'https://a.builder.eu' };
    const subscribers = [webhook, { ...webhook, name: 'b', endpoint: 'https://b.builder.eu' }];
    expect(outlook(10, { subscribers }).idleMonthUsd).toBeCloseTo(0.96 + 2 * 0.66);
  });
});

/** The idle months of the table of docs/scaling.md with the default request budget. */
function idleMonthsOf(scaling: string) {
  const ROW =
    /^\| ([\d,]+) +\| 500 +\| (\d+) × .*\| idle +\|.*\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm;
  return [...scaling.matchAll(ROW)].map(([, size = '', ...cells]) => {
    const [shards = NaN, off = NaN, basic = NaN, full = NaN] = cells.map(Number);
    return { projects: Number(size.replaceAll(',', '')), shards, off, basic, full };
  });
}
