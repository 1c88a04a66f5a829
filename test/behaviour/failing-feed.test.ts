import { describe, expect, it } from 'vitest';
import {
  ProtocolError,
  PublishFailedError,
  RateLimitedError,
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
} from '../../functions/core/model/errors.ts';
import { dueAt } from '../../functions/core/model/feed.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import {
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
  type Site,
} from '../support/site.ts';

/** How long the floorplans wait, in milliseconds. */
async function waitOf(site: Site): Promise<number> {
  return dueAt((await site.feed(FEED)) ?? {}) - site.clock.now();
}

describe('a feed that fails', () => {
  const failure = () => Promise.reject(serviceFailure);
  const rejected = new RefreshTokenRejectedError('refused', { hint: 'Put a valid one.' });
  const rejection = () => Promise.reject(rejected);

  it('backs off on its own, keeps its cursor, and catches up', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.checklist('p', 'c', 10, []);
    site.api.answerNext(floorplansOf('p'), failure);
    const summary = await site.poll();
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['template_checklist.created']);
    expect(summary).toMatchObject({ waiting: 1, polled: 3 });
    expect(site.telemetry.counted('FeedsWaiting')).toBe(1);
    expect(site.telemetry.counted('ProtocolErrors')).toBe(0);
    expect(await site.events()).toEqual([]);
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(await site.feed(FEED)).not.toHaveProperty('wait');
  });

  it('in the middle of its list keeps the pages before the failure', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 14);
    site.api.answerNext(floorplansOf('p'), (page) => page, failure);
    expect(await site.events()).toHaveLength(2);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(11), wait: { failures: 1 } });
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['floorplan.created f12', 'floorplan.created f13']);
  });

  it('fails in a row until it shows news: pages of the lookback are read each time', async () => {
    const site = await liveSite({ lookbackMs: 60_000, clock: () => Date.parse(timeAt(100)) });
    site.floorplans('p', 50, 54);
    await site.poll();
    site.floorplans('p', 60, 70);
    const failures: unknown[] = [];
    for (const pages of [1, 1, 2]) {
      const read = Array.from({ length: pages }, (): PageAnswer => (page) => page);
      site.api.answerNext(floorplansOf('p'), ...read, failure);
      await site.poll();
      failures.push((await site.feed(FEED))?.wait?.failures);
      site.clock.advance(600_000);
    }
    expect(failures).toEqual([1, 2, 1]);
  });

  it('by breaking the protocol is counted as a protocol error, too', async () => {
    const site = await liveSite();
    site.floorplan('p', 'g', 10);
    site.api.answerNext(floorplansOf('p'), ({ entities, ...page }) => ({
      ...page,
      entities: entities.toReversed(),
      hasMore: true,
    }));
    expect(await site.poll()).toMatchObject({ waiting: 1 });
    expect(site.telemetry.counted('ProtocolErrors')).toBe(1);
  });

  it('by refusal is logged once, and refused again waits 2, 4 … 60 minutes', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    await site.poll();
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      site.clock.advance(await waitOf(site));
      expect(await site.poll()).toMatchObject({ waiting: 1, polled: 3 });
      waits.push((await waitOf(site)) / 60_000);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60]);
    const message = 'A list waits: the service refuses it';
    expect(site.telemetry.logs).toMatchObject([{ level: 'error', message }]);
  });

  it('by an answer that is no page is not called refused', async () => {
    const site = await liveSite();
    site.telemetry.logs.length = 0;
    const broken = new ProtocolError('It is no JSON', { hint: 'Ask the provider.' });
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(broken));
    await site.poll();
    const message = expect.stringContaining('no page') as string;
    expect(site.telemetry.logs).toMatchObject([{ level: 'error', message }]);
  });

  it('by the rate limit has not failed: the run stops early, and the next one polls it', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    const limited = new RateLimitedError('429', { hint: 'Wait.' });
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(limited));
    expect(await site.poll()).toMatchObject({ waiting: 0, stoppedEarly: true });
    expect(await site.feed(FEED)).not.toHaveProperty('wait');
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('without an access token keeps other feeds from starting', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), rejection);
    site.api.takePaths();
    expect(await site.poll({ concurrency: 1 })).toMatchObject({ token: 'refused' });
    expect(site.api.takePaths()).toEqual([PROJECTS, floorplansOf('p')]);
  });

  it('without an access token does not hide that a page could not be published', async () => {
    const site = await liveSite();
    site.project('p', 10, { name: 'Renamed' });
    site.topic.publish = () => Promise.reject(new PublishFailedError('no', { hint: 'Wait.' }));
    site.api.answerNext(floorplansOf('p'), rejection);
    await expect(site.poll({ concurrency: 1 })).rejects.toThrow(AggregateError);
    expect(site.telemetry.counted('TokenRefused')).toBe(1);
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
  });

  it.each([
    [
      'was not put yet',
      new RefreshTokenMissingError('It is empty', { hint: 'Put one.' }),
      { token: 'missing', metric: 'TokenMissing' },
      { level: 'warn', message: 'It is empty', fields: { hint: 'Put one.' } },
    ],
    [
      'is refused',
      new RefreshTokenRejectedError('It was refused', { hint: 'Put another.' }),
      { token: 'refused', metric: 'TokenRefused' },
      { level: 'error', message: 'The refresh token is refused' },
    ],
  ] as const)(
    'for want of a token that %s ends the run, which has not failed, says so once, and was not polled',
    async (_, error, { token, metric }, entry) => {
      const site = await liveSite();
      site.telemetry.logs.length = 0;
      site.api.answerNext(PROJECTS, () => Promise.reject(error));
      const none = { waiting: 0, pages: 0, polled: 0 };
      expect(await site.poll({ concurrency: 1 })).toMatchObject({ token, ...none });
      expect(site.telemetry.counted(metric)).toBe(1);
      // The one before, and this one: the alarm on missing runs would report the token again.
      expect(site.telemetry.counted('RunsCompleted')).toBe(2);
      expect(site.telemetry.logs).toMatchObject([entry]);
      expect(await site.poll()).not.toHaveProperty('token');
    },
  );
});
