import { expect, it } from 'vitest';
import { emptySummary, type RunSummary } from '../../../../functions/core/run/run-summary.ts';
import {
  addUp,
  formatRun,
  formatShortBudget,
  type RunLine,
} from '../../../../infra/local/terminal/format-run.ts';

function lineOf(summary: Partial<RunSummary>, more: Partial<RunLine> = {}): string {
  return formatRun({
    ...{ number: 3, durationMs: 1234, hasBaseline: true, listedEventCount: 0 },
    ...more,
    summary: { ...emptySummary(), feeds: 9, polled: 7, ...summary },
  });
}

it.each([
  [
    'events, and entities that were read before',
    lineOf(
      { entities: 50, events: { created: 2, updated: 0, deleted: 1, restored: 0 } },
      { listedEventCount: 2 },
    ),
    'run 3: 3 events from 50 entities (48 re-read), 7 lists polled, 1.2 s',
  ],
  [
    'a baseline as such',
    lineOf({ entities: 1200 }, { hasBaseline: false }),
    'run 3: baseline of 1,200 entities, no events, 7 lists polled, 1.2 s',
  ],
  ['no entities', lineOf({}), 'run 3: no events, 7 lists polled, 1.2 s'],
  [
    'trouble',
    lineOf({
      waiting: 4,
      parked: 2,
      quarantined: 3,
      outageSince: '2026-05-04T10:11:12.345Z',
      stoppedEarly: true,
    }),
    'run 3: no events, 7 of 9 lists polled, 4 waiting, 2 parked, 3 quarantined, no list could be read since 2026-05-04T10:11:12.345Z, stopped before all lists were polled, 1.2 s',
  ],
  [
    'that there is no valid token',
    lineOf({ token: 'refused', polled: 0 }),
    'run 3: no events, 0 lists polled, the refresh token is refused, 1.2 s',
  ],
  ['that nothing was done', lineOf({ leaseHeld: true }), 'run 3: another run holds the lease'],
])('the line of a run shows %s', (_, line, expected) => {
  expect(line).toBe(expected);
});

it('the line of a run has the counts of all shards, but not of one that found the lease held', () => {
  const events = { created: 2, updated: 0, deleted: 1, restored: 0 };
  const outageSince = '2026-05-04T10:11:12.345Z';
  const first = { ...emptySummary(), feeds: 9, polled: 7, parked: 1, entities: 50, events };
  const second = { ...emptySummary(), feeds: 8, polled: 8, entities: 5, stoppedEarly: true };
  const held = { ...emptySummary(), leaseHeld: true };
  expect(lineOf(addUp([first, { ...second, events, outageSince }, held]))).toBe(
    `run 3: 6 events from 55 entities (55 re-read), 15 of 17 lists polled, 1 parked, no list could be read since ${outageSince}, stopped before all lists were polled, 1.2 s`,
  );
  expect(lineOf(addUp([held, held]))).toBe('run 3: another run holds the lease');
});

it('polling more often than the config allows is told, and how often it allows', () => {
  const rate = { listCount: 21, everySeconds: 5, requestsPerMinute: 100 };
  expect(formatShortBudget(rate)).toBe(
    '21 lists each 5 s take 252 requests a minute; the config allows 100, so runs wait, and commands with them. --every 13 waits less.',
  );
  expect(formatShortBudget({ ...rate, requestsPerMinute: 252 })).toBeUndefined();
  expect(formatShortBudget({ ...rate, everySeconds: 60, requestsPerMinute: 20 })).toBe(
    '21 lists each 60 s take 21 requests a minute; the config allows 20, so runs wait, and commands with them.',
  );
});
