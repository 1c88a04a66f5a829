import { expect, it } from 'vitest';
import { PageSize, sizeAfterFailure } from '../../../../functions/core/lists/page-size.ts';
import { PageTooSlowError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { Timestamp } from '../../../../functions/core/model/timestamp.ts';
import { timeAt } from '../../../support/list-service.ts';

const hint = 'Wait.';

it('the size of a page that was too slow is halved for the next poll, usual pages and those of a tie apart', () => {
  const slow = new PageTooSlowError('no answer in time', { hint });
  const feed = newFeed(makeCatalog().projects, 'live');
  const after = (perPage: number, tie?: Timestamp, before: Feed = feed) =>
    sizeAfterFailure(before, Object.assign(slow, { page: { perPage, tie } }));
  expect(after(25)).toEqual({ ...feed, pageSize: 12 });
  expect(after(1)).toEqual({ ...feed, pageSize: 1 });
  const tie = timeAt(5);
  const wait = { until: 1, failures: 1, cause: 'slow', since: 0 };
  const slowTie = { at: tie, perPage: 500 };
  expect(after(1000, tie, { ...feed, wait })).toEqual({ ...feed, wait: { ...wait, slowTie } });
  expect(after(1000, tie)).toBe(feed);
  for (const error of [new ServiceError('500', { hint }), new PageTooSlowError('504', { hint })])
    expect(sizeAfterFailure(feed, error)).toBe(feed);
});

it('the size is kept with each page, and doubled after a whole list up to the usual one', () => {
  const size = new PageSize(1000, 300);
  expect(size.keptAfter(false)).toBe(300);
  expect(size.keptAfter(true)).toBe(600);
  expect(new PageSize(500, 250).keptAfter(true)).toBeUndefined();
  expect(new PageSize(500).keptAfter(true)).toBeUndefined();
});
