import { expect, it } from 'vitest';
import { afterChange } from '../../../../functions/core/feeds/operator-change.ts';
import { dueAt, type Feed } from '../../../../functions/core/model/feed.ts';
import { timeAt } from '../../../support/list-service.ts';
import { feedOf } from '../../../support/samples.ts';

const FEED = feedOf({ projectId: 'p', cursor: timeAt(5), digest: 'b' });
const OTHER = feedOf({ projectId: 'q' });

it('A list is polled at once after a retry, unless its project is deleted', () => {
  const retry = { command: 'retry' } as const;
  const wait = { until: 9, failures: 1, cause: 'away', since: 1 };
  expect(dueAt(afterChange({ ...FEED, wait }, retry))).toBe(0);
  const parked = { ...FEED, parked: { until: 9 } };
  expect(afterChange(parked, retry)).toBe(parked);
});

it('A list is read from the earlier of its cursor and the time of a rewind', () => {
  const rewind = (to: string) => ({ command: 'rewind', to }) as const;
  const { digest: _, ...without } = FEED;
  expect(afterChange(FEED, rewind(timeAt(3)))).toEqual({ ...without, cursor: timeAt(3) });
  expect(afterChange(FEED, rewind(timeAt(7)))).toEqual(without);
  expect(afterChange(OTHER, rewind(timeAt(3)))).toBe(OTHER);
  const { cursor: _cursor, ...unread } = without;
  expect(afterChange(FEED, { command: 'rewind' })).toEqual(unread);
});

it('A job is ordered once, also after its end, and no other one beside it', () => {
  const ordered = afterChange(FEED, { command: 'reconcile', id: 'a' });
  expect(ordered.job).toEqual({ name: 'reconcile', id: 'a' });
  expect(afterChange(ordered, { command: 'reconcile', id: 'b' })).toBe(ordered);
  const over: Feed = { ...FEED, job: { name: 'reconcile', id: 'a', outcome: 'compared' } };
  expect(afterChange(over, { command: 'reconcile', id: 'a' })).toBe(over);
  expect(afterChange(over, { command: 'reconcile', id: 'b' }).job?.id).toBe('b');
});
