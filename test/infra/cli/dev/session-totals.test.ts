import { expect, it } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import { SessionTotals } from '../../../../infra/cli/dev/session-totals.ts';
import { eventOf } from '../../../support/samples.ts';

it('totals tell runs, pages, events by kind, their age, and what declared subscribers received', () => {
  const totals = new SessionTotals();
  totals.addRun({ ...emptySummary(), pages: 40 });
  totals.addRun();
  const event = { ...eventOf('1'), time: new Date(Date.now() + 60_000).toISOString() };
  totals.addEvent(event, ['planning']);
  totals.addEvent({ ...event, cause: 'replay' }, ['planning']);
  totals.addEvent({ ...event, time: '2026-01-01T00:00:00Z' }, []);
  expect(totals.format(61_000).split('\n')).toEqual([
    '',
    '2 runs (1 failed) in 61 s: 40 pages read, 3 events',
    '             created  updated  deleted  restored',
    '  floorplan        0        3        0         0',
    '  from change to subscriber: mean 0.0 s, p95 0.0 s',
    '  planning received 2 events',
  ]);
});
