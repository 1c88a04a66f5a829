import { beforeAll, describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { allCrashes, crashAt, RICH_HISTORY, simulateCrash, tryCrashes } from './crash-points.ts';
import { describeViolation } from './report.ts';
import { simulate } from './simulation.ts';
import { withoutStacks } from './without-stacks.ts';
import type { Outcome } from './world.ts';

/** A busy machine takes long. */
const TIMES = { timeout: 600_000 };

/** `npm run simulate -- --crash-points` simulates all. */
const STRIDE = 24;

/** What comes of the whole history. */
let outcome: Outcome;

beforeAll(async () => {
  outcome = await simulate(RICH_HISTORY);
});

it(
  'the promises are kept wherever a run dies: at every 24th call of a rich history, before, within and after it',
  TIMES,
  async () => {
    const crashes = allCrashes(outcome).filter((_, i) => i % STRIDE === 0);
    expect(crashes.length).toBeGreaterThan(8);
    const found = await withoutStacks(() => tryCrashes(crashes));
    expect(found.violations.map(describeViolation)).toEqual([]);
    expect(found.histories).toBe(crashes.length);
  },
);

describe('a run has done what one has done that dies before its next call', TIMES, () => {
  const done = async (call: number, when: 'before' | 'after') => {
    const { chronicle } = await simulateCrash(crashAt({ call, when }, outcome));
    const dead = chronicle.runs.find(({ died }) => died)?.n ?? NaN;
    const told = chronicle.deliveries.filter(({ run }) => run <= dead);
    // A delete that a reconciliation finds has the time of that, and another id at another time.
    const isTimed = ({ cause, type }: ChangeEvent): boolean =>
      cause === 'reconcile' && type.endsWith('.deleted');
    return [dead, told.map(({ event }) => (isTimed(event) ? event.subject : event.id)).sort()];
  };

  it.each([
    ['after an answer', 'after', 'nextCalls'],
    ['before a call that only reads', 'before', 'callsAfterReads'],
  ] as const)('if it dies %s', async (_, when, pairs) => {
    const all = [...outcome[pairs]];
    const some = all.filter((__, i) => i % Math.ceil(all.length / 3) === 0);
    expect(some.length).toBeGreaterThan(2);
    for (const [call, next] of some)
      expect(await done(next, 'before'), `call ${call}`).toEqual(await done(call, when));
  });
});

describe('the rich history', () => {
  it('has events of all kinds, and each way in which lists change', () => {
    const { chronicle, service } = outcome;
    expect(service.clockAt(0)).not.toBe(0);
    const kinds = new Set(chronicle.deliveries.map(({ event }) => event.type));
    const actions = (entity: string, ...names: string[]) =>
      names.map((name) => `${entity}.${name}`);
    expect([...kinds].sort()).toEqual([
      ...actions('floorplan', 'created', 'deleted', 'restored', 'updated'),
      ...actions('project', 'created', 'deleted', 'restored', 'updated'),
      'sheet.created',
      ...actions('template_check_item', 'created', 'deleted', 'restored', 'updated'),
      ...actions('template_checklist', 'created', 'deleted', 'updated'),
    ]);
    // It is tried again, and still invalid.
    expect(chronicle.quarantined).toHaveLength(2);
    expect(chronicle.replays.deliveries.length).toBeGreaterThan(10);
  });
});
