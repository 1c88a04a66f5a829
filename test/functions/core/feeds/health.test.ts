import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  withoutWait,
  afterWholeRead,
  healthOf,
  park,
  retry,
  unpark,
} from '../../../../functions/core/feeds/health.ts';
import {
  ServiceError,
  ProtocolError,
  PublishFailedError,
} from '../../../../functions/core/model/errors.ts';
import { dueAt } from '../../../../functions/core/model/feed.ts';
import { timeAt } from '../../../support/list-service.ts';
import { feedOf } from '../../../support/samples.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const feed = feedOf({ projectId: 'p', cursor: timeAt(1) });
const hint = 'Wait.';
const serviceError = (status: number, retryAfterMs = 0) =>
  new ServiceError(`GET: ${status}`, { status, hint, retryAfterMs });

/** Minutes that a feed waits after each of some failures in a row. */
function waitsAfter(error: Error, hasRead = true, count = 8): number[] {
  const waits: number[] = [];
  let failing = feed;
  for (let n = 0; n < count; n += 1) {
    failing = afterFailure(failing, error, { now: 1000, hasRead });
    waits.push((dueAt(failing) - 1000) / MINUTE);
  }
  expect(failing.cursor).toBe(timeAt(1));
  return waits;
}

describe('a feed that waits', () => {
  it.each([
    ['an answer 500', serviceError(500)],
    ['a 429', serviceError(429)],
    ['no answer', new ServiceError('no answer', { hint })],
    ['the topic', new PublishFailedError('throttled', { hint })],
    ['the table', new Error('throttled')],
  ])('waits 1, 2, 4, then 5 minutes after failures by %s', (_, error) => {
    expect(waitsAfter(error)).toEqual([1, 2, 4, 5, 5, 5, 5, 5]);
  });

  it.each([
    ['403', new ServiceError('403', { status: 403, hint })],
    ['a second 401', serviceError(401)],
    ['an answer that is no page', new ProtocolError('no JSON', { hint })],
  ])('waits 1, 2, 4 … 60 minutes if the service refuses the list by %s', (_, error) => {
    expect(waitsAfter(error)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(waitsAfter(error, false)).toEqual([1, 2, 4, 5, 5, 5, 5, 5]);
  });

  it('counts refusals and failures apart', () => {
    const down = [1, 2, 3].reduce(
      (failing) => afterFailure(failing, serviceError(503), { now: 0, hasRead: true }),
      feed,
    );
    const refused = afterFailure(down, serviceError(404), { now: 0, hasRead: true });
    expect([dueAt(down), dueAt(refused)]).toEqual([4 * MINUTE, MINUTE]);
  });

  it('waits longer if the service asks, an hour at most, and five minutes while nothing is read', () => {
    expect(waitsAfter(serviceError(503, 30 * MINUTE), true, 1)).toEqual([30]);
    expect(waitsAfter(serviceError(503, DAY), true, 1)).toEqual([60]);
    expect(waitsAfter(serviceError(503, DAY), false, 1)).toEqual([5]);
  });

  it('knows how often it failed in a row, since when and why, until it is read', () => {
    const first = afterFailure(feed, new Error('away'), { now: 1000, hasRead: true });
    const cause = `ServiceError: GET: ${'x'.repeat(300)}`;
    const error = new ServiceError(`GET: ${'x'.repeat(300)}`, { hint });
    const second = afterFailure(first, error, { now: 9000, hasRead: true });
    expect(second.wait).toEqual({
      ...{ failures: 2, since: 1000, cause: cause.slice(0, 200) },
      until: 9000 + 2 * MINUTE,
    });
    expect([healthOf(feed), healthOf(second)]).toEqual(['ok', 'waiting']);
    expect(withoutWait(second)).toEqual(feed);
    expect(afterWholeRead(second, 0)).toEqual(feed);
  });

  it('is due at once after a retry', () => {
    const waiting = afterFailure(feed, new Error('away'), { now: 1000, hasRead: true });
    expect(dueAt(retry(waiting))).toBe(0);
    expect(retry(waiting).wait?.failures).toBe(1);
    expect(retry(feed)).toBe(feed);
    const retried = retry(waiting);
    expect(retry(retried)).toBe(retried);
  });
});

it('a feed that an operator has paused is paused, whatever else it is', () => {
  expect(healthOf({ ...park(feed), paused: true })).toBe('paused');
});

describe('a parked feed', () => {
  const parked = park(feed);

  it('is read once more, then once a day, also if that is refused', () => {
    expect([healthOf(parked), dueAt(parked)]).toEqual(['parked', 0]);
    expect(dueAt(afterWholeRead(parked, 5))).toBe(5 + DAY);
    const refused = new ServiceError('404', { status: 404, hint });
    const tomorrow = afterFailure(parked, refused, { now: 5, hasRead: true });
    expect(tomorrow).toEqual({ ...feed, parked: { until: 5 + DAY } });
    expect(park(tomorrow)).toBe(tomorrow);
    // In an outage all lists may be answered so.
    expect(dueAt(afterFailure(parked, refused, { now: 5, hasRead: false }))).toBe(5 + MINUTE);
  });

  it('goes on at once when its project is restored', () => {
    const failed = afterFailure(parked, serviceError(500), { now: 5, hasRead: true });
    expect(dueAt(failed)).toBe(5 + MINUTE);
    expect(unpark(failed)).toEqual(feed);
    expect(unpark(feed)).toBe(feed);
  });
});
