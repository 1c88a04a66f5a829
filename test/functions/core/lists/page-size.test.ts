import { expect, it } from 'vitest';
import { PageSize, sizeAfterFailure } from '../../../../functions/core/lists/page-size.ts';
import { PageTooSlowError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { newFeed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { Timestamp } from '../../../../functions/core/model/timestamp.ts';
import { timeAt } from '../../../support/list-service.ts';

const hint = 'Wait.';

it('the size of a page that was too slow is halved for the next poll', () => {
  const slow = new PageTooSlowError('no answer in time', { hint });
  const feed = newFeed(makeCatalog().projects, 'live');
  const after = (perPage: number, tie?: Timestamp) =>
    sizeAfterFailure(feed, Object.assign(slow, { page: { perPage, tie } }));
  expect(after(25)).toEqual({ ...feed, pageSize: 12 });
  expect(after(1)).toEqual({ ...feed, pageSize: 1 });
  const tie = timeAt(5);
  expect(after(1000, tie)).toEqual({ ...feed, pageSize: 500, saturatedAt: tie });
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
