import { expect, it } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import { SessionTotals } from '../../../../infra/local/terminal/session-totals.ts';
import { eventOf } from '../../../support/samples.ts';

it('totals tell runs, pages, events by kind, their age, and what declared subscribers received', () => {
  const totals = new SessionTotals(0);
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
  expect(new SessionTotals(0).format(0)).toBe('\n0 runs in 0 s: 0 pages read, 0 events');
});

it('totals leave out the age of what had changed before the session, and of what is told again', () => {
  const event = eventOf('1');
  const changedAt = Date.parse(event.time);
  const totals = new SessionTotals(changedAt);
  totals.addEvent(event, changedAt + 2_000);
  totals.addEvent({ ...event, cause: 'replay' }, changedAt + 90_000);
  totals.addEvent(
    { ...event, time: new Date(changedAt - 86_400_000).toISOString() },
    changedAt + 2_000,
  );
  expect(totals.format(0)).toContain('3 events\n');
  expect(totals.format(0)).toContain('from change to subscriber: mean 2.0 s, p95 2.0 s');
});
