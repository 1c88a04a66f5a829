import { describe, expect, it } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import type { Paint } from '../../../../infra/local/terminal/format-output.ts';
import {
  formatEvent,
  formatLogLine,
  formatRun,
} from '../../../../infra/local/terminal/format-output.ts';
import { type Action } from '../../../../functions/core/model/change.ts';
import { makeEvent, toClaimCheck } from '../../../../functions/core/events/make-event.ts';

const plain: Paint = (_, text) => text;

function event(action: Action, object: object, changed: string[] = [], previous?: object) {
  return makeEvent(
    {
      action,
      entity: 'floorplan',
      id: 'f1',
      subject: '/projects/p1/floorplans/f1',
      time: '2026-05-04T10:11:12.345Z',
      sequence: '2026-05-04T10:11:12.345Z',
      object: { ...object },
      changed,
      ...(previous && { previous: { ...previous } }),
    },
    { source: 'https://api.test/api/v3', cause: 'poll', now: new Date(0).toISOString() },
  );
}

describe('eventLine', () => {
  it('shows time, action, entity and name', () => {
    expect(formatEvent(event('created', { name: 'Cellar' }), plain)).toBe(
      '10:11:12  created   floorplan            "Cellar"',
    );
  });

  it('shows the API path of an entity without a name', () => {
    expect(formatEvent(event('deleted', {}), plain)).toContain('/projects/p1/floorplans/f1');
  });

  it('shows what changed, from what to what', () => {
    const updated = event('updated', { name: 'Basement', level: -1 }, ['level', 'name'], {
      name: 'Cellar',
    });
    expect(formatEvent(updated, plain)).toMatch(
      /level: nothing → -1 {2}name: "Cellar" → "Basement"$/,
    );
  });

  it('shows only the name of a field whose values are long or not known', () => {
    const long = event('updated', { notes: 'x'.repeat(100) }, ['notes'], { notes: 'short' });
    expect(formatEvent(long, plain)).toMatch(/ notes$/);
    expect(formatEvent(event('updated', { notes: 'b' }, ['notes']), plain)).toMatch(/ notes$/);
  });

  it('stays one line without control characters whatever the name is', () => {
    const line = formatEvent(event('created', { name: 'a\nb\u001b[2J' }), plain);
    expect(line).toContain('"a\\nb\\u001b[2J"');
  });

  it('shows API path and place of an event that is too large for the topic', () => {
    const reference = toClaimCheck(
      event('updated', { name: 'Cellar' }),
      's3://large/events/1.json',
    );
    expect(formatEvent(reference, plain)).toBe(
      '10:11:12  updated   floorplan            /projects/p1/floorplans/f1  s3://large/events/1.json',
    );
  });

  it('paints the action', () => {
    const marked: Paint = (style, text) => `<${style}>${text}</>`;
    expect(formatEvent(event('restored', {}), marked)).toContain('<cyan>restored</>');
  });
});

describe('runLine', () => {
  it('summarizes a run', () => {
    const events = { created: 2, updated: 0, deleted: 1, restored: 0 };
    const summary = { ...emptySummary(), feeds: 9, polled: 7, pages: 8, entities: 50, events };
    expect(formatRun(3, summary, 123.4)).toBe(
      'run 3: 7 of 9 lists polled, 8 pages, 50 entities, 2 created + 1 deleted, 123 ms',
    );
  });

  it('includes failures', () => {
    const summary = {
      ...emptySummary(),
      failing: 1,
      waiting: 4,
      parked: 2,
      quarantined: 3,
      outageSince: '2026-05-04T10:11:12.345Z',
      stoppedEarly: true,
    };
    expect(formatRun(1, summary, 0)).toContain(
      'no events, 1 failing, 4 waiting, 2 parked, 3 quarantined, the service fails since 2026-05-04T10:11:12.345Z, stopped before all lists were polled',
    );
  });

  it('reports that another run holds the lease', () => {
    expect(formatRun(2, { ...emptySummary(), leaseHeld: true }, 5)).toBe(
      'run 2: another run holds the lease',
    );
  });
});

describe('logLine', () => {
  const entry = (fields: object): string => JSON.stringify({ timestamp: 't', ...fields });

  it.each([
    ['below a warning', entry({ level: 'INFO', message: 'Run completed' })],
    ['metrics', JSON.stringify({ _aws: { CloudWatchMetrics: [] }, EventsPublished: 1 })],
    ['empty', '  '],
  ])('leaves out lines that are %s', (_, line) => {
    expect(formatLogLine(line, false)).toBeUndefined();
    expect(formatLogLine(line, true)).toBe(line);
  });

  it('shows a warning or an error in one line, with its fields', () => {
    const error = { name: 'ServiceError', message: 'status 500', stack: 'a\nb' };
    const line = entry({
      level: 'ERROR',
      message: 'A feed failed',
      service: 's',
      error,
      feed: 'f',
    });
    expect(formatLogLine(line, false)).toBe(
      'ERROR A feed failed  error=ServiceError: status 500  feed="f"',
    );
  });

  it('shows the hint of an error', () => {
    const hint = 'Put a valid one into the secret.';
    const error = { name: 'RefreshTokenRejectedError', message: 'refused', hint };
    expect(formatLogLine(entry({ level: 'ERROR', message: 'Run failed', error }), false)).toBe(
      'ERROR Run failed  error=RefreshTokenRejectedError: refused  Put a valid one into the secret.',
    );
  });

  it('shows lines that are not log entries, such as crash reports of Node', () => {
    expect(formatLogLine('TypeError: x is not a function', false)).toBe(
      'TypeError: x is not a function',
    );
  });
});
