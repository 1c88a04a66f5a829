import { describe, expect, it } from 'vitest';
import { ServiceError, PublishFailedError } from '../../functions/core/model/errors.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { checklistsOf, floorplansOf, liveSite, Site, serviceFailure } from '../support/site.ts';

const FLOORPLANS = 'projects/p/floorplans';

describe('the operator sees', () => {
  it('how many pages were read and how many events were published', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplans('p', 1, 4);
    const { pages, events } = await site.poll({ baseline: 'emit' });
    expect(events).toMatchObject({ created: 4 });
    expect(site.telemetry.counted('EventsPublished')).toBe(4);
    expect(site.telemetry.counted('PagesRead')).toBe(pages);
    expect(pages).toBe(3);
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
    expect(site.telemetry.logs).toEqual([]);
  });

  it('what was quarantined: its list, its path, and the reason', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10) });
    site.topic.refuse(() => 'InvalidParameter');
    site.floorplan('p', 'f', 11);
    expect(await site.poll()).toMatchObject({ quarantined: 2 });
    expect(site.telemetry.counted('Quarantined')).toBe(2);
    const message = 'An entity or event was quarantined';
    const subject = expect.stringContaining(`/${FLOORPLANS}/`) as string;
    const origin = { feed: FLOORPLANS, subject };
    expect(site.telemetry.logs).toEqual(
      ['id must be', 'InvalidParameter'].map((reason) => ({
        level: 'warn',
        message,
        fields: { ...origin, reason: expect.stringContaining(reason) as string },
      })),
    );
  });

  it('which list failed, its cursor, and when it is retried', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
    await site.poll();
    const nextTry = new Date(site.clock.now() + 60_000).toISOString();
    const message = 'A list waits: its poll failed';
    const fields = { feed: FLOORPLANS, cursor: timeAt(2), nextTry };
    expect(site.telemetry.logs).toEqual([
      { level: 'error', message, error: serviceFailure, fields },
    ]);
  });

  it.each([
    ['the topic', new PublishFailedError('throttled', { hint: 'Wait.', acceptedCount: 3 }), 1, 3],
    ['something else', new Error('broken'), 0, 0],
  ])(
    'which page was not committed because of %s',
    async (_, error, failureCount, acceptedCount) => {
      const site = await liveSite();
      site.floorplan('p', 'f', 10, { name: 'F' });
      const topic = { publish: () => Promise.reject(error) };
      const nextTry = new Date(site.clock.now() + 60_000).toISOString();
      await expect(site.poll({}, { topic })).rejects.toThrow(error.message);
      expect(site.telemetry.counted('PublishFailures')).toBe(failureCount);
      expect(site.telemetry.counted('EventsPublished')).toBe(acceptedCount);
      const message = 'A list waits: its poll failed';
      const fields = { feed: FLOORPLANS, cursor: timeAt(2), nextTry };
      expect(site.telemetry.logs).toEqual([{ level: 'error', message, error, fields }]);
    },
  );

  it('which wait was not saved, and the run fails', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
    const away = new Error('table is away');
    const store = replaceCall(site.store, 'commitFeed', () => Promise.reject(away));
    await expect(site.poll({}, { store })).rejects.toThrow('table is away');
    const message = 'The wait of a list was not saved';
    const fields = { feed: FLOORPLANS };
    expect(site.telemetry.logs).toEqual([{ level: 'error', message, error: away, fields }]);
  });

  it('how long each event took from the change until it was seen, never less than nothing', async () => {
    const site = await liveSite();
    const now = site.clock.now();
    const at = (ms: number) => ({ updated_at: new Date(now + ms).toISOString() });
    site.floorplan('p', 'f', 10, { name: 'F', ...at(-90_000) });
    site.floorplan('p', 'g', 11, { name: 'G', ...at(5_000) });
    site.topic.refuse(({ subject }) => (subject.endsWith('/x') ? 'InvalidParameter' : undefined));
    site.floorplan('p', 'x', 12, { name: 'X', ...at(-70_000) });
    await site.poll();
    expect(site.telemetry.lags.toSorted((a, b) => a - b)).toEqual([0, 90]);
  });

  it('how many lists wait and are in their baseline, and since when', async () => {
    const site = new Site();
    site.project('p', 1);
    site.project('q', 1);
    const fail = () => Promise.reject(serviceFailure);
    const refused = new ServiceError('GET: 403', { status: 403, hint: 'Ask.' });
    site.api.answerNext(floorplansOf('p'), fail, fail);
    site.api.answerNext(floorplansOf('q'), () => Promise.reject(refused));
    site.api.answerNext(checklistsOf('q'), fail);
    /** What a run that starts so much later reports. */
    const gaugesAfter = async (ms: number) => {
      site.clock.advance(ms);
      const telemetry = new RecordingTelemetry();
      await site.poll({}, { telemetry });
      return [telemetry.counted('FeedsWaiting'), telemetry.counted('OldestFailureSeconds')];
    };
    expect(await gaugesAfter(0)).toEqual([3, 0]);
    expect(await gaugesAfter(30_000)).toEqual([3, 30]);
    expect(await gaugesAfter(30_000)).toEqual([1, 60]);
    expect(await gaugesAfter(600_000)).toEqual([0, 0]);
  });

  it('what share of the request budget was spent', async () => {
    const site = await liveSite();
    const api = {
      fetchPage: site.api.fetchPage.bind(site.api),
      allowance: () => ({ requests: 9, perMinute: 60, usedShare: 0.754 }),
    };
    await site.poll({}, { api });
    expect(site.telemetry.counted('BudgetUsedPercent')).toBe(75);
  });
});
