import { expect, it } from 'vitest';
import { emptySummary, type RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { addUp, formatRun } from '../../../../infra/cli/dev/format-run.ts';

function lineOf(summary: Partial<RunSummary>, hasBaseline = true): string {
  return formatRun({
    ...{ number: 3, durationMs: 1234, hasBaseline },
    summary: { ...emptySummary(), feeds: 9, polled: 7, ...summary },
  });
}

const EVENTS = { created: 2, updated: 0, deleted: 1, restored: 0 };
const OUTAGE = '2026-05-04T10:11:12.345Z';

it.each([
  [
    'events',
    lineOf({ entities: 50, events: EVENTS }),
    'run 3: 3 events from 50 entities, 7 lists polled, 1.2 s',
  ],
  [
    'a baseline as such',
    lineOf({ entities: 1200 }, false),
    'run 3: baseline of 1,200 entities, no events, 7 lists polled, 1.2 s',
  ],
  [
    'trouble',
    lineOf({ waiting: 4, quarantined: 3, outageSince: OUTAGE, stoppedEarly: true }),
    `run 3: no events from 0 entities, 7 of 9 lists polled in time, 4 waiting, 3 quarantined, no list could be read since ${OUTAGE}, 1.2 s`,
  ],
  ['that nothing was done', lineOf({ leaseHeld: true }), 'run 3: another run holds the lease'],
])('the line of a run shows %s', (_, line, expected) => {
  expect(line).toBe(expected);
});

it('the line of a run has the counts of all shards, but not of one that found the lease held', () => {
  const first = { ...emptySummary(), feeds: 9, polled: 7, entities: 50, events: EVENTS };
  const second = { ...first, feeds: 8, polled: 8, entities: 5, outageSince: OUTAGE };
  const held = { ...emptySummary(), leaseHeld: true };
  expect(addUp([first, second, held])).toMatchObject({
    ...{ leaseHeld: false, feeds: 17, polled: 15, entities: 55, outageSince: OUTAGE },
    events: { created: 4, updated: 0, deleted: 2, restored: 0 },
  });
  expect(addUp([held, held]).leaseHeld).toBe(true);
});
