import { describe, expect, it } from 'vitest';
import { ServiceTime } from '../../../../functions/core/paging/service-time.ts';
import { timeAt } from '../../../support/list-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PAGE = { entities: [], invalid: [], hasMore: false };

it('dates an answer without a Date by the last one before its request, not by a later one of another list', () => {
  const time = new ServiceTime(new ManualClock());
  const first = '2026-03-02T08:01:40.000Z';
  expect(time.date(PAGE, time.lastDate, 0)).not.toHaveProperty('readAfter');
  time.date({ ...PAGE, readAfter: first }, time.lastDate, 0);
  const { lastDate } = time;
  time.date({ ...PAGE, readAfter: '2026-03-02T08:03:20.000Z' }, time.lastDate, 0);
  expect(time.date(PAGE, lastDate, 0).readAfter).toBe(first);
});

describe('the time before which an answer was read', () => {
  const SECOND = 1000;

  it.each([
    ['is 10 s after its Date, which is cut to seconds', 0, timeAt(50), timeAt(60)],
    [
      'is not later if the request waited before it was sent',
      3600 * SECOND,
      timeAt(50),
      timeAt(60),
    ],
    ['counts from the last Date, and the time since then', 0, undefined, timeAt(3_610)],
    ['is a day ahead of our clock at most', 0, '2100-01-01T00:00:00.000Z', timeAt(3_610)],
  ])('%s', (_, tookMs, readAfter, expected) => {
    const clock = new ManualClock();
    const time = new ServiceTime(clock);
    time.date({ ...PAGE, readAfter: timeAt(0) }, undefined, clock.now());
    clock.advance(3600 * SECOND);
    const page = { ...PAGE, ...(readAfter && { readAfter }) };
    const { readBefore } = time.date(page, time.lastDate, clock.now() - tookMs);
    expect(readBefore).toBe(expected);
  });

  it('is unknown an hour after the last Date, which still tells after what time it was', () => {
    const clock = new ManualClock();
    const at = clock.now() - 3600 * SECOND - 1;
    const time = new ServiceTime(clock, { date: timeAt(0), at, undated: 0 });
    const requestedAt = new Date(clock.now()).toISOString();
    const page = time.date(PAGE, time.lastDate, clock.now());
    expect(page).toEqual({ ...PAGE, readAfter: timeAt(0), requestedAt });
    expect(time.now).toBeUndefined();
  });

  it('is unknown before the first Date', () => {
    const time = new ServiceTime(new ManualClock());
    expect(time.date(PAGE, time.lastDate, 0)).not.toHaveProperty('readBefore');
  });
});

describe('the Date that the run before knew', () => {
  const HOUR = 3_600_000;
  const clock = new ManualClock();
  const readAfter = (date: string, at: number, undated: number) => {
    const time = new ServiceTime(clock, { date, at, undated });
    return time.date(PAGE, time.lastDate, clock.now()).readAfter;
  };

  it.each([
    ['dates the first answers of this run', timeAt(0), -HOUR, 0, timeAt(0)],
    ['is forgotten after an hour and a hundred answers without', timeAt(0), -HOUR, 100, undefined],
    ['is not after a hundred answers in less than an hour', timeAt(0), -HOUR + 1, 100, timeAt(0)],
    [
      'is not after an hour and fewer answers: it was a pause',
      timeAt(0),
      -23 * HOUR,
      99,
      timeAt(0),
    ],
    ['is ignored a day ahead of our clock', '2100-01-01T00:00:00.000Z', 0, 0, undefined],
  ])('%s', (_, date, sinceMs, undated, expected) => {
    expect(readAfter(date, clock.now() + sinceMs, undated)).toBe(expected);
  });

  it('is known to the next run, too, with the answers without one since', () => {
    const known = { date: timeAt(0), at: clock.now() - HOUR, undated: 0 };
    const time = new ServiceTime(clock, known);
    time.date(PAGE, time.lastDate, 0);
    expect(time.known).toEqual({ ...known, undated: 1 });
    time.date(PAGE, time.lastDate, 0);
    expect(time.known).toEqual({ ...known, undated: 2 });
    time.date({ ...PAGE, readAfter: timeAt(9) }, time.lastDate, 0);
    expect(time.known).toEqual({ date: timeAt(9), at: clock.now(), undated: 0 });
  });
});
