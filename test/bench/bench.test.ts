import { describe, expect, it } from 'vitest';
import { METRICS } from '../../functions/core/ports/metrics.ts';
import { resultsApart } from './apart.ts';
import { ratioOfSums } from './bench.ts';
import { costTable } from './cost.ts';
import type { Work } from './cost/work.ts';
import { bytesOf, readUnits, writeUnits } from './fixture/units.ts';
import { parseOptions } from './options.ts';
import { comparePeer } from './peer.ts';
import { BENCHES, judged } from './registry.ts';
import { costLines, peerLines, resultLines } from './report.ts';

describe('npm run bench', () => {
  it('yields every figure under its key', () => {
    const keys = BENCHES.flatMap(({ rows }) => rows.map(({ key }) => key));
    expect(keys).toEqual([
      'pageChain',
      'cpuPerChangedEntity',
      'cpuPerUnchangedEntity',
      'callsPerThousandChanges',
      'memoryGrowthMb',
      'idleCalls',
      'idleReadUnits',
      'idleWriteUnits',
      'shardMaxWaitMinutes',
      'shardCalls',
      'shardReadUnits',
      'shardCpuMs',
      'freshnessBursty',
      'freshnessBurstyP95',
      'freshnessStationary',
      'maxWaitSeconds',
      'statusSeconds',
      'webhookDrain',
      'coldStart',
      'monthlyUsd',
    ]);
  });

  // Synthesis, for the start of the bundle, takes seconds.
  const quick = BENCHES.filter(({ name }) => name !== 'cold-start');
  it.each(quick.map((bench) => ({ name: bench.name, bench })))(
    'measures $name and prints its rows',
    async ({ bench }) => {
      for (const result of judged(bench, await bench.measure('tiny'))) {
        expect(result.figure).toBeGreaterThanOrEqual(-16);
        expect(result.isMet).toBe(result.figure <= result.row.goal);
        expect(resultLines(result)).toContain(result.row.key);
      }
    },
  );

  it('divides sums, not pairs, where the garbage of one side falls on the other', async () => {
    const [a, b] = [
      [1, 3],
      [1, 7],
    ];
    const next = (figures: number[]) => () => Promise.resolve(figures.shift() ?? NaN);
    expect(await ratioOfSums(2, next(a), next(b))).toBe(0.5);
    expect([a, b]).toEqual([[], []]);
  });

  it('takes each measurement in a process of its own', async () => {
    const [idle] = BENCHES.filter(({ name }) => name === 'idle');
    if (idle === undefined) throw new Error('no such benchmark');
    const apart = await resultsApart(idle, 'tiny');
    expect(apart).toEqual(judged(idle, await idle.measure('tiny')));
  });

  it('prices an active month higher than an idle one', async () => {
    const work: Work = {
      cpuMsOfRun: 5,
      cpuMsOfFeed: 0.002,
      cpuMsOfRequest: 0.6,
      cpuMsOfEvent: 0.1,
      bytesOfRequest: 900,
      logBytesOfRun: 1_000,
    };
    const shown: string[] = [];
    const [idle, active] = await costTable([2], work, (...line) => shown.push(line.join(' ')));
    expect(shown).toEqual(['2 idle', '2 active']);
    if (idle === undefined || active === undefined) throw new Error('no lines');
    expect(active.usage.events).toBeGreaterThan(0);
    expect(active.bill.topic).toBeGreaterThan(idle.bill.topic);
    expect(idle.bill.traffic).toBeGreaterThan(0);
    expect(costLines([idle, active]).split('\n')).toHaveLength(4);
    // Metrics that healthy runs report are billed all month, and are said to be.
    for (const name of idle.usage.metrics) expect(METRICS[name], name).toHaveProperty('isSteady');
    expect(idle.bill.metrics).toBeCloseTo(0.3);
    expect(idle.bill.alarms).toBeCloseTo(1);
  });

  it('compares with a plain Lambda on the same pages', async () => {
    const both = await comparePeer({ ours: 1, plain: 1 }, { service: 2, table: 0, topic: 0 });
    expect(both.ours.entities).toBe(1000);
    expect(both.plain).toMatchObject({ entities: 1000, awsCalls: 2000, serviceRequests: 1 });
    expect(peerLines(both)).toContain('plain Lambda');
  });

  it.each([
    [['nonsense'], 'There is no benchmark "nonsense". Allowed: page-chain, cpu-per-changed-entity'],
    [['idle', 'cost'], 'Name one benchmark only, not idle cost.'],
    [['--jsn'], "Unknown option '--jsn'"],
    [['idel'], 'There is no benchmark "idel". Did you mean idle?'],
  ])('rejects %j and names the allowed options', (options, message) => {
    expect(() => parseOptions(options)).toThrow(message);
  });

  it('takes the name of one benchmark, or none', () => {
    expect(parseOptions(['--json'])).toEqual({ json: true, help: false });
    expect(parseOptions(['peer'])).toEqual({ name: 'peer', json: false, help: false });
  });
});

describe('DynamoDB units', () => {
  it('are computed from sizes as the developer guide says', () => {
    const item = {
      pk: { S: 'ä' },
      n: { N: '1500' },
      b: { BOOL: true },
      x: { B: new Uint8Array(9) },
    };
    expect(bytesOf(item)).toBe(2 + 2 + 1 + 2 + 1 + 1 + 1 + 9);
    expect(writeUnits({ s: { S: 'x'.repeat(1023) } })).toBe(1);
    expect(writeUnits({ s: { S: 'x'.repeat(1024) } })).toBe(2);
    expect([readUnits(0, true), readUnits(4096, true), readUnits(4097, true)]).toEqual([1, 1, 2]);
    expect(readUnits(4097, false)).toBe(1);
  });
});
