import { expect, it } from 'vitest';
import { emptySummary, type RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { formatRun } from '../../../../infra/local/console/session/format-run.ts';

const EVENTS = { created: 2, updated: 0, deleted: 1, restored: 0 };
const OUTAGE = '2026-05-04T10:11:12.345Z';

it.each<[string, Partial<RunSummary>, string]>([
  ['events', { entities: 50, events: EVENTS }, '3 events from 50 entities, 7 lists polled'],
  [
    'a baseline as such',
    { entities: 1200 },
    'baseline of 1,200 entities, no events, 7 lists polled',
  ],
  [
    'trouble',
    { entities: 9, waiting: 4, quarantined: 3, outageSince: OUTAGE, stoppedEarly: true },
    `baseline of 9 entities, no events, 7 of 9 lists polled in time, 4 waiting, 3 quarantined, no list could be read since ${OUTAGE}`,
  ],
  ['that nothing was done', { leaseHeld: true }, 'another run holds the lease'],
])('the line of a run shows %s', (_, summary, expected) => {
  const whole = { ...emptySummary(), feeds: 9, polled: 7, ...summary };
  expect(formatRun(whole, true)).toBe(expected);
});
