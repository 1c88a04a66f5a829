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
const feedsOf = (...ids: string[]): Feed[] => ids.map((id) => feedOf(id));
const projectOf = ({ projectId = 'projects' }: Feed): string => projectId;

function optionsOf(options: Partial<RankOptions>): RankOptions {
  return {
    now: NOW,
    budget: Infinity,
    budgetPerTurn: options.budget ?? Infinity,
    turnMs: MINUTE,
    maxWaitMs: 30 * MINUTE,
    random: () => 0.5,
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
  it('returns lists that have just failed last when the budget covers all, until they waited for too long', () => {
    const failing = { failures: 3, notBefore: NOW - MINUTE };
    const waiting = { failures: 3, notBefore: NOW - 30 * MINUTE };
    const feeds = [feedOf('b', failing), feedOf('w', waiting), ...feedsOf('a', 'c'), projectsFeed];
    const waits = { a: 1, b: 9, c: 1, w: 99 };
    expect(rankedIds(feeds, waits, {}).at(-1)).toBe('b');
    expect(rankedIds(feeds, {}, {}).at(-1)).toBe('b');
    expect(rankedIds(feeds, waits, {})[1]).toBe('w');
    // Where requests are short, they are due.
    expect(rankedIds(feeds, { a: 1, b: 1, c: 1, w: 1 }, { budget: 3 }).sort()).toEqual([
      ...['b', 'projects', 'w'],
    ]);
  });

  it('returns all feeds but those backing off when the budget covers them, the projects first', () => {
    const backingOff = feedOf('b', { notBefore: NOW + 1 });
    const feeds = [feedOf('a'), backingOff, feedOf('c', { notBefore: NOW }), projectsFeed];
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

  it('lets equal feeds take turns to be first', () => {
    const firsts = new Set(
      [0, 1, 2].map((turn) => {
        let call = 0;
        const random = () => ((call++ + turn) % 3) / 3;
        return rankedIds(feedsOf('a', 'b', 'c'), {}, { random })[0];
      }),
    );
    expect(firsts).toEqual(new Set(['a', 'b', 'c']));
  });

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

  it.each<[string, Partial<Feed>, number | undefined]>([
    ['new', {}, undefined],
    ['in its baseline', { phase: 'baseline' }, 1],
    ['back from a failure', { failures: 1 }, 1],
    ['parked, and due to be tried again', { parked: 'refused' }, 1],
    ['polled in the future', {}, -10],
  ])('prefers a feed that is %s', (_, fields, wait) => {
    const feeds = [feedOf('other'), feedOf('it', fields)];
    const waits = { other: 25, ...(wait !== undefined && { it: wait }) };
    expect(rankedIds(feeds, waits, { budget: 1 })).toEqual(['it']);
  });

  it('takes a new feed for the one that has waited longest, and one that is back for one that is due', () => {
    const feeds = [feedOf('overdue'), feedOf('new'), feedOf('back', { failures: 1 })];
    const waits = { overdue: 45, back: 1 };
    expect(rankedIds(feeds, waits, { budget: 1 })).toEqual(['new']);
    expect(rankedIds(feeds, { ...waits, new: 2 }, { budget: 2 })).toEqual(['overdue', 'back']);
  });

  it('does not count the time of a back-off as a wait', () => {
    const back = feedOf('back', { failures: 6, notBefore: NOW });
    const feeds = [feedOf('overdue'), back, feedOf('other')];
    const waits = { overdue: 45, back: 60, other: 25 };
    expect(rankedIds(feeds, waits, { budget: 2 })).toEqual(['overdue', 'back']);
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

  it('tells the longest wait so far, without the time of a back-off', () => {
    const back = feedOf('c', { failures: 1, notBefore: NOW - MINUTE });
    const feeds = [...feedsOf('a', 'b'), back];
    const history = historyOf(feeds, { a: 7, c: 60 });
    expect(rankFeeds(feeds, history, optionsOf({ budget: 1 })).waitedMs).toBe(7 * MINUTE);
  });

  it('gives parked feeds a tenth of a short budget, those that are due for longest first', () => {
    const living = feedsOf(...Array.from({ length: 40 }, (_, n) => `l${n}`));
    const parkedOf = (n: number, notBefore = NOW - n) =>
      feedOf(`d${n}`, { parked: 'project-deleted', notBefore });
    const parked = Array.from({ length: 100 }, (_, n) => parkedOf(n + 1));
    const minutes = (feeds: readonly Feed[], wait: number) =>
      Object.fromEntries(feeds.map((feed) => [projectOf(feed), wait]));
    const waits = { ...minutes(living, 1), ...minutes(parked, 120) };
    const ranked = (budget: number, random: number, feeds = [...living, ...parked]) =>
      rankedIds(feeds, waits, { budget, random: () => random }).filter((id) => id.startsWith('d'));
    expect(ranked(30, 0.5)).toEqual(['d100', 'd99', 'd98']);
    // Less than one has its turn now and then.
    expect(ranked(4, 0.5)).toEqual([]);
    expect(ranked(4, 0.7)).toEqual(['d100']);
    // What the others leave is theirs, too.
    expect(ranked(60, 0.5)).toHaveLength(20);
    expect(ranked(200, 0.5)).toHaveLength(100);
    // A project that was just deleted may have last changes.
    expect(ranked(4, 0.5, [...living.slice(0, 4), parkedOf(1, 0)])).toEqual(['d1']);
  });

  it.each([15, Infinity])(
    'spreads parked feeds between the others, which may take all requests or the time of each run, with the budget %s',
    (budget) => {
      const living = feedsOf(...Array.from({ length: 11 }, (_, n) => `l${n}`));
      const parked = [1, 2, 3].map((n) =>
        feedOf(`d${n}`, { parked: 'project-deleted', notBefore: NOW - n }),
      );
      const waits = Object.fromEntries(living.map((feed, n) => [projectOf(feed), 11 - n]));
      expect(rankedIds([...living, ...parked], waits, { budget })).toEqual([
        ...['d3', 'l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7', 'l8'],
        ...['d2', 'l9', 'l10', 'd1'],
      ]);
    },
  );

  it('tells the achievable wait when the budget is too small', () => {
    const feeds = Array.from({ length: 100 }, (_, i) => feedOf(`p${i}`));
    const achievableWait = (budget: number) =>
      rankFeeds(feeds, new PollHistory(), optionsOf({ budget })).achievableWaitMs;
    expect(achievableWait(4)).toBe(30 * MINUTE);
    expect(achievableWait(3)).toBe((2 * 34 + 1) * MINUTE);
  });

  it('never returns a feed twice, one that is backing off, or more than the budget allows', () => {
    const anyFeeds = fc.uniqueArray(
      fc.record({
        id: fc.nat({ max: 99 }).map((n) => `p${n}`),
        failures: fc.constantFrom(0, 0, 1),
        notBefore: fc.constantFrom(0, NOW - 1, NOW, NOW + 1),
        wait: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
        recentChanges: fc.nat({ max: 200 }),
        quiet: fc.nat({ max: 10_000 }),
      }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(anyFeeds, fc.nat({ max: 20 }), fc.boolean(), (shapes, budget, hasProjects) => {
        const feeds = shapes.map(({ id, failures, notBefore, recentChanges, quiet }) =>
          feedOf(id, { failures, notBefore, recentChanges, lastChange: NOW - quiet * MINUTE }),
        );
        if (hasProjects) feeds.push(projectsFeed);
        const waits = Object.fromEntries(
          shapes.flatMap(({ id, wait }) => (wait === undefined ? [] : [[id, wait]])),
        );
        const pollable = feeds.filter(({ notBefore }) => notBefore <= NOW);
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
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(setup, ({ count, budget, waitTurns, busy, seed }) => {
        const maxWaitMs = waitTurns * MINUTE;
        const isBusy = new Set(busy);
        const feeds = Array.from({ length: count }, (_, i) => feedOf(`p${i}`));
        const history = new PollHistory();
        const polledAt = new Map(feeds.map(({ id }) => [id, NOW]));
        let chance = seed;
        const random = () => (chance = (chance * 16_807 + 11) % 2_147_483_647) / 2_147_483_647;
        for (let turn = 1; turn <= 150; turn += 1) {
          const now = NOW + turn * MINUTE;
          const current = feeds.map((feed, i) =>
            isBusy.has(i) ? { ...feed, recentChanges: 500, lastChange: now - 1000 } : feed,
          );
          const options = optionsOf({ now, budget, maxWaitMs, random });
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
