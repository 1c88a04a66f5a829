import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { rankFeeds, type RankOptions } from '../../../../functions/core/schedule/rank-feeds.ts';

const { projects, perProject } = makeCatalog();
const [floorplans = projects] = perProject;
const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;

const projectsFeed = newFeed(projects, 'live');
const feedOf = (id: string, fields: Partial<Feed> = {}): Feed => ({
  ...newFeed(floorplans, 'live', { id }),
  ...fields,
});
const waitUntil = (until: number) => ({ until, failures: 1, cause: 'away', since: 0 });
const feedsOf = (...ids: string[]): Feed[] => ids.map((id) => feedOf(id));
const projectOf = ({ projectId = 'projects' }: Feed): string => projectId;

function optionsOf(options: Partial<RankOptions>): RankOptions {
  return {
    now: NOW,
    budget: Infinity,
    budgetPerTurn: options.budget ?? Infinity,
    turnMs: MINUTE,
    maxWaitMs: 30 * MINUTE,
    ...options,
  };
}

/** A history in which feeds were polled this many minutes ago, by project id. */
function historyOf(feeds: readonly Feed[], waits: Readonly<Record<string, number>>): PollHistory {
  const history = new PollHistory();
  for (const feed of feeds) {
    const wait = waits[projectOf(feed)];
    if (wait !== undefined) history.recordPoll(feed, feed, NOW - wait * MINUTE);
  }
  return history;
}

/** Project ids of the ranked feeds; `projects` is the projects feed. */
function rankedIds(
  feeds: readonly Feed[],
  waits: Readonly<Record<string, number>>,
  options: Partial<RankOptions>,
): string[] {
  return rankFeeds(feeds, historyOf(feeds, waits), optionsOf(options)).feeds.map(projectOf);
}

describe('rankFeeds', () => {
  it('puts failed lists last, refused ones behind them, but first two that the last turn did not reach', () => {
    const wait = { failures: 3, cause: 'away', since: 0 };
    const failed = feedOf('failed', { wait: { ...wait, until: NOW - MINUTE / 2 } });
    const refused = feedOf('refused', { wait: { ...wait, until: NOW, isRefused: true } });
    const missed = feedOf('missed', { wait: { ...wait, until: NOW - MINUTE } });
    const feeds = [refused, failed, missed, ...feedsOf('a', 'b'), projectsFeed];
    const waits = { refused: 9, failed: 8, missed: 7, a: 2, b: 1 };
    const order = ['projects', 'missed', 'a', 'b', 'failed', 'refused'];
    expect(rankedIds(feeds, waits, {})).toEqual(order);
    const many = ['1', '2', '3'].map((n) => feedOf(n, { wait: waitUntil(NOW - 9 * MINUTE + +n) }));
    const led = ['projects', '1', '2', 'a', 'b', '3', 'missed', 'failed', 'refused'];
    expect(rankedIds([...many, ...feeds], waits, {})).toEqual(led);
    // Choosing ignores failures.
    const chosen = ['projects', 'missed', 'failed', 'refused'];
    expect(rankedIds(feeds, waits, { budget: 4 })).toEqual(chosen);
  });

  it('returns all feeds but those that wait when the budget covers them, the projects first', () => {
    const waiting = feedOf('b', { wait: waitUntil(NOW + 1) });
    const feeds = [feedOf('a'), waiting, feedOf('c', { wait: waitUntil(NOW) }), projectsFeed];
    const [first, ...rest] = rankedIds(feeds, {}, { budget: 3 });
    expect(first).toBe('projects');
    expect(rest.sort()).toEqual(['a', 'c']);
  });

  it.each([Infinity, 9])(
    'puts feeds that have waited for too long first, since the time of the run may not cover all, with the budget %s',
    (budget) => {
      const busy = feedOf('busy', { lastChange: NOW - 2 * MINUTE, recentChanges: 9 });
      const feeds = [feedOf('idle'), busy, projectsFeed];
      expect(rankedIds(feeds, { idle: 28, busy: 10 }, { budget })).toEqual([
        'projects',
        'busy',
        'idle',
      ]);
      expect(rankedIds(feeds, { idle: 31, busy: 10 }, { budget })).toEqual([
        'projects',
        'idle',
        'busy',
      ]);
    },
  );

  it('returns no more feeds than the budget allows, those that have waited longest', () => {
    const waits = { a: 2, b: 9, c: 4, d: 7 };
    expect(rankedIds(feedsOf('a', 'b', 'c', 'd'), waits, { budget: 2 })).toEqual(['b', 'd']);
  });

  it('prefers a feed that has just changed to one that has waited somewhat longer', () => {
    const busy = feedOf('busy', { lastChange: NOW - 2 * MINUTE, recentChanges: 9 });
    const feeds = [feedOf('idle'), busy];
    expect(rankedIds(feeds, { idle: 8, busy: 2 }, { budget: 1 })).toEqual(['busy']);
    expect(rankedIds(feeds, { idle: 29, busy: 2 }, { budget: 1 })).toEqual(['idle']);
  });

  it('takes a new feed for the one that has waited longest', () => {
    const feeds = feedsOf('overdue', 'new');
    expect(rankedIds(feeds, { overdue: 45 }, { budget: 1 })).toEqual(['new']);
  });

  it('prefers unfinished lists to others, but not to those that are due', () => {
    const busy = { lastChange: NOW - MINUTE, recentChanges: 200 };
    const feeds = [...feedsOf('late', 'b', 'c', 'd'), feedOf('busy', busy)];
    const history = historyOf(feeds, { late: 30, busy: 9 });
    for (const [i, id] of ['b', 'c', 'd'].entries()) {
      history.recordPartial(feedOf(id).id, NOW - (i + 1) * MINUTE);
    }
    const ranked = (budget: number) =>
      rankFeeds(feeds, history, optionsOf({ budget })).feeds.map(projectOf);
    expect(ranked(3)).toEqual(['late', 'd', 'c']);
    expect(ranked(4)).toEqual(['late', 'd', 'c', 'b']);
  });

  it('does not let the projects starve all others where the budget is one request', () => {
    const feeds = [projectsFeed, feedOf('a')];
    expect(rankedIds(feeds, { projects: 1, a: 20 }, { budget: 1 })).toEqual(['a']);
    expect(rankedIds(feeds, { projects: 20, a: 1 }, { budget: 1 })).toEqual(['projects']);
  });

  it('returns nothing when nothing may be polled', () => {
    expect(rankedIds([projectsFeed, feedOf('a')], {}, { budget: 0 })).toEqual([]);
    expect(rankedIds([], {}, { budget: 5 })).toEqual([]);
  });

  it('returns the longest wait so far, without the time of a wait after failures', () => {
    const back = feedOf('c', { wait: waitUntil(NOW - MINUTE) });
    const feeds = [...feedsOf('a', 'b'), back];
    const history = historyOf(feeds, { a: 7, c: 60 });
    expect(rankFeeds(feeds, history, optionsOf({ budget: 1 })).waitedMs).toBe(7 * MINUTE);
  });

  it('gives parked feeds no deadline, and their turn by the time since they are due', () => {
    const parkedOf = (id: string, minutes: number) =>
      feedOf(id, { parked: { until: NOW - minutes * MINUTE } });
    const feeds = [...feedsOf('a', 'b'), parkedOf('lately', 5), parkedOf('long', 50)];
    const waits = { a: 31, b: 10, lately: 1440, long: 1440 };
    expect(rankedIds(feeds, waits, { budget: 1 })).toEqual(['a']);
    expect(rankedIds(feeds, waits, { budget: 2 })).toEqual(['a', 'long']);
    expect(rankedIds(feeds, waits, { budget: 3 })).toEqual(['a', 'long', 'b']);
    const history = historyOf(feeds, waits);
    history.recordPartial(parkedOf('lately', 5).id, NOW - MINUTE);
    const [first] = rankFeeds(
      feeds,
      history,
      optionsOf({ budget: 3, maxWaitMs: 60 * MINUTE }),
    ).feeds;
    // It needs several requests, which a run that is short of them would never have left.
    expect(first?.projectId).toBe('lately');
    // A project that was just deleted may have last changes.
    const deleted = feedOf('deleted', { parked: { until: 0 } });
    expect(rankedIds([...feeds, deleted], { ...waits, deleted: 32 }, { budget: 1 })).toEqual([
      'deleted',
    ]);
  });

  it('returns the achievable wait when the budget is too small', () => {
    const feeds = Array.from({ length: 100 }, (_, i) => feedOf(`p${i}`));
    const achievableWait = (budget: number) =>
      rankFeeds(feeds, new PollHistory(), optionsOf({ budget })).achievableWaitMs;
    expect(achievableWait(4)).toBe(30 * MINUTE);
    expect(achievableWait(3)).toBe((2 * 34 + 1) * MINUTE);
  });

  it('never returns a feed twice, one that waits, or more than the budget allows', () => {
    const anyFeeds = fc.uniqueArray(
      fc.record({
        id: fc.nat({ max: 99 }).map((n) => `p${n}`),
        until: fc.constantFrom(0, NOW - 1, NOW, NOW + 1),
        wait: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
        recentChanges: fc.nat({ max: 200 }),
        quiet: fc.nat({ max: 10_000 }),
      }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(anyFeeds, fc.nat({ max: 20 }), fc.boolean(), (shapes, budget, hasProjects) => {
        const feeds = shapes.map(({ id, until, recentChanges, quiet }) => {
          const wait = waitUntil(until);
          return feedOf(id, { wait, recentChanges, lastChange: NOW - quiet * MINUTE });
        });
        if (hasProjects) feeds.push(projectsFeed);
        const waits = Object.fromEntries(
          shapes.flatMap(({ id, wait }) => (wait === undefined ? [] : [[id, wait]])),
        );
        const pollable = feeds.filter(({ wait }) => (wait?.until ?? 0) <= NOW);
        const ids = rankedIds(feeds, waits, { budget });
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(Math.min(budget, pollable.length));
        expect(pollable.map(projectOf)).toEqual(expect.arrayContaining(ids));
      }),
    );
  });

  it('keeps the maximum wait of every feed, however often others change', () => {
    const setup = fc.record({
      count: fc.integer({ min: 2, max: 60 }),
      budget: fc.integer({ min: 1, max: 8 }),
      waitTurns: fc.integer({ min: 3, max: 40 }),
      busy: fc.array(fc.nat({ max: 59 })),
    });
    fc.assert(
      fc.property(setup, ({ count, budget, waitTurns, busy }) => {
        const maxWaitMs = waitTurns * MINUTE;
        const isBusy = new Set(busy);
        const feeds = Array.from({ length: count }, (_, i) => feedOf(`p${i}`));
        const history = new PollHistory();
        const polledAt = new Map(feeds.map(({ id }) => [id, NOW]));
        for (let turn = 1; turn <= 150; turn += 1) {
          const now = NOW + turn * MINUTE;
          const current = feeds.map((feed, i) =>
            isBusy.has(i) ? { ...feed, recentChanges: 500, lastChange: now - 1000 } : feed,
          );
          const options = optionsOf({ now, budget, maxWaitMs });
          const ranking = rankFeeds(current, history, options);
          for (const feed of ranking.feeds) {
            polledAt.set(feed.id, now);
            history.recordPoll(feed, feed, now);
          }
          // A feed that is not polled now waits until the next turn.
          const longest = now + MINUTE - Math.min(...polledAt.values());
          expect(longest).toBeLessThanOrEqual(ranking.achievableWaitMs);
          // Half a turn of the maximum wait is kept for runs that start late.
          const isEnough = count <= budget * (waitTurns - 1);
          expect(ranking.achievableWaitMs === maxWaitMs).toBe(isEnough);
        }
      }),
      { numRuns: 60 },
    );
  });
});
