import { expect, it } from 'vitest';
import { ServiceTime } from '../../../../functions/core/paging/service-time.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PAGE = { entities: [], invalid: [], hasMore: false };

it('dates an answer without a Date by the last one before its request, not by a later one of another list', () => {
  const time = new ServiceTime(new ManualClock());
  const first = '2026-03-02T08:01:40.000Z';
  expect(time.date(PAGE, time.lastDate)).not.toHaveProperty('readAfter');
  time.date({ ...PAGE, readAfter: first }, time.lastDate);
  const { lastDate } = time;
  time.date({ ...PAGE, readAfter: '2026-03-02T08:03:20.000Z' }, time.lastDate);
  expect(time.date(PAGE, lastDate).readAfter).toBe(first);
});
