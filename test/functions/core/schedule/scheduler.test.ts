import { describe, expect, it } from 'vitest';
import { newFeed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { Scheduler } from '../../../../functions/core/schedule/scheduler.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { RecordingTelemetry } from '../../../support/recording-telemetry.ts';

const MINUTE = 60_000;
const LIST_COUNTS = Array.from({ length: 300 }, (_, n) => 2 * n + 3);
const { projects } = makeCatalog();
/** The lists of many projects. */
const FEEDS = Array.from({ length: 601 }, (_, n) =>
  n === 0
    ? newFeed(projects, 'live')
    : { ...newFeed(projects, 'live'), id: `projects/${n}/floorplans`, projectId: String(n) },
);

describe('the budget that the warning names', () => {
  it.each([
    { everyMinutes: 1, maxWaitMinutes: 30, leftMinutes: 0.75 },
    { everyMinutes: 1, maxWaitMinutes: 2, leftMinutes: 0.75 },
    { everyMinutes: 2, maxWaitMinutes: 30, leftMinutes: 2 },
    { everyMinutes: 2, maxWaitMinutes: 30, leftMinutes: 0.75 },
    { everyMinutes: 5, maxWaitMinutes: 30, leftMinutes: 5 },
    { everyMinutes: 5, maxWaitMinutes: 30, leftMinutes: 0.75 },
    { everyMinutes: 5, maxWaitMinutes: 10, leftMinutes: 2.5 },
  ])('is the least that keeps the maximum wait: %o', (times) => {
    const wrong = LIST_COUNTS.filter((lists) => {
      const needed = neededBudget(lists, 1, times);
      if (needed === undefined) return false;
      return (
        neededBudget(lists, needed, times) !== undefined ||
        neededBudget(lists, needed - 1, times) !== needed
      );
    });
    expect(wrong).toEqual([]);
    expect(neededBudget(601, 1, times)).toBeGreaterThan(1);
  });

  it('is left out if no budget is enough, because a list may not wait for a turn', () => {
    const times = { everyMinutes: 5, maxWaitMinutes: 5, leftMinutes: 0.75 };
    expect(warnings(3, 600, times)).toEqual([
      expect.not.objectContaining({ neededRequestsPerMinute: expect.anything() as number }),
    ]);
  });
});

interface Times {
  readonly everyMinutes: number;
  readonly maxWaitMinutes: number;
  readonly leftMinutes: number;
}

/** The number that a run with this budget warns with, if it warns. */
function neededBudget(lists: number, perMinute: number, times: Times) {
  const [fields] = warnings(lists, perMinute, times);
  return fields?.['neededRequestsPerMinute'] as number | undefined;
}

/** The fields of the warnings of a run with so many lists and this budget. */
function warnings(lists: number, perMinute: number, times: Times) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const feeds = FEEDS.slice(0, lists);
  const scheduler = new Scheduler(
    {
      api: {
        fetchPage: () => Promise.reject(new Error('not called')),
        allowance: () => ({ requests: perMinute * times.everyMinutes, perMinute }),
      },
      store: new MemoryStore(),
      telemetry,
      clock,
    },
    {
      shard: 0,
      everyMs: times.everyMinutes * MINUTE,
      maxWaitMs: times.maxWaitMinutes * MINUTE,
    },
    new PollHistory(),
  );
  scheduler.rankFeeds(feeds, times.everyMinutes * MINUTE, times.leftMinutes * MINUTE);
  return telemetry.logs.map(({ fields }) => fields);
}
