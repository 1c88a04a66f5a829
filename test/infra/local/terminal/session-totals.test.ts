import { expect, it } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import { SessionTotals } from '../../../../infra/local/terminal/session-totals.ts';
import { eventOf } from '../../../support/samples.ts';

it('totals tell runs, pages, events by kind, their age, and what declared subscribers received', () => {
  const totals = new SessionTotals();
  totals.addRun({ ...emptySummary(), pages: 40 });
  totals.addRun();
  for (const ageMs of [1_000, 2_000, 6_000]) {
    const event = eventOf(String(ageMs));
    totals.addEvent(event, Date.parse(event.time) + ageMs);
  }
  totals.addDeliveries('planning', 1);
  totals.addDeliveries('planning', 1);
  expect(totals.format(61_000).split('\n')).toEqual([
    '',
    '2 runs (1 failed) in 61 s: 40 pages read, 3 events',
    '             created  updated  deleted restored',
    '  floorplan        0        3        0        0',
    '  from change to subscriber: mean 3.0 s, p95 6.0 s',
    '  planning received 2 events',
  ]);
});

it('totals of a session without events are one line', () => {
  expect(new SessionTotals().format(0)).toBe('\n0 runs in 0 s: 0 pages read, 0 events');
});
