import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { rankFeeds, type RankOptions } from '../../../../functions/core/schedule/rank-feeds.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';

const { projects, perProject } = makeCatalog();
const [floorplans = projects] = perProject;
const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;

const feedOf = (id: string, fields: Partial<Feed> = {}): Feed => ({
  ...newFeed(floorplans, 'live', { id }),
  ...fields,
});

/** Ids of the projects whose feeds are planned; the projects feed is `projects`. */
function planned(
  feeds: readonly Feed[],
  waits: Readonly<Record<string, number>>,
  options: Partial<RankOptions>,
): string[] {
  const memory = remembering(feeds, waits);
  return rankFeeds(feeds, memory, optionsOf(options)).feeds.map(
    ({ projectId = 'projects' }) => projectId,
  );
}

function optionsOf(options: Partial<RankOptions>): RankOptions {
  return {
    at: NOW,
    now: Infinity,
    perTurn: options.now ?? Infinity,
    turnMs: MINUTE,
    maxWaitMs: 30 * MINUTE,
    random: () => 0.5,
    ...options,
  };
}

/** A memory in which feeds were polled so many minutes ago. */
function remembering(feeds: readonly Feed[], waits: Readonly<Record<string, number>>): PollHistory {
  const memory = new PollHistory();
  for (const feed of feeds) {
    const wait = waits[feed.projectId ?? 'projects'];
    if (wait !== undefined) memory.polled(feed, feed, NOW - wait * MINUTE);
  }
  return memory;
}

describe('the plan', () => {
  it('holds all that is due when the budget covers it, the projects first', () => {
    const feeds = [
      feedOf('a'),
      feedOf('b', { notBefore: NOW + 1 }),
      feedOf('c', { notBefore: NOW }),
      newFeed(projects, 'live'),
    ];
    const [first, ...rest] = planned(feeds, {}, { now: 3 });
    expect(first).toBe('projects');
    expect(rest.sort()).toEqual(['a', 'c']);
  });

  it('lets feeds that are alike take turns to be first', () => {
    const feeds = ['a', 'b', 'c'].map((id) => feedOf(id));
    const firsts = new Set(
      [0, 1, 2].map((turn) => {
        let call = 0;
        return planned(feeds, {}, { random: () => ((call++ + turn) % 3) / 3 })[0];
      }),
    );
    expect(firsts).toEqual(new Set(['a', 'b', 'c']));
  });

  it('takes no more feeds than the budget allows, those that have waited longest', () => {
    const feeds = ['a', 'b', 'c', 'd'].map((id) => feedOf(id));
    expect(planned(feeds, { a: 2, b: 9, c: 4, d: 7 }, { now: 2 })).toEqual(['b', 'd']);
  });

  it('polls a feed that has just changed before one that has waited somewhat longer', () => {
    const busy = feedOf('busy', { lastChange: NOW - 2 * MINUTE, recentChanges: 9 });
    const feeds = [feedOf('idle'), busy];
    expect(planned(feeds, { idle: 8, busy: 2 }, { now: 1 })).toEqual(['busy']);
    expect(planned(feeds, { idle: 29, busy: 2 }, { now: 1 })).toEqual(['idle']);
  });

  it.each([
    ['new', {}, undefined],
    ['in its baseline', { phase: 'baseline' as const }, 1],
    ['back from a failure', { failures: 1 }, 1],
    ['to be asked once more whether it is still refused', { parked: 'refused' as const }, 1],
  ])('polls a feed that is %s soon', (_, fields, wait) => {
    const feeds = [feedOf('other'), feedOf('it', fields)];
    const waits = { other: 25, ...(wait !== undefined && { it: wait }) };
    expect(planned(feeds, waits, { now: 1 })).toEqual(['it']);
  });

  it('takes a new feed for the one that has waited longest, and one that is back for one whose wait ends', () => {
    const feeds = [feedOf('overdue'), feedOf('new'), feedOf('back', { failures: 1 })];
    const waits = { overdue: 45, back: 1 };
    expect(planned(feeds, waits, { now: 1 })).toEqual(['new']);
    expect(planned(feeds, { ...waits, new: 2 }, { now: 2 })).toEqual(['overdue', 'back']);
  });

  it('does not take the time for which a feed was put off for a wait', () => {
    const back = feedOf('back', { failures: 6, notBefore: NOW });
    const waits = { overdue: 45, back: 60, other: 25 };
    const feeds = [feedOf('overdue'), back, feedOf('other')];
    expect(planned(feeds, waits, { now: 2 })).toEqual(['overdue', 'back']);
  });

  it('goes on with unfinished lists before others, but not before those that have to go', () => {
    const busy = { lastChange: NOW - MINUTE, recentChanges: 200 };
    const feeds = ['late', 'b', 'c', 'd'].map((id) => feedOf(id)).concat(feedOf('busy', busy));
    const memory = remembering(feeds, { late: 30, busy: 9 });
    for (const [minutes, feed] of [1, 2, 3].map((m, i) => [m, feeds[i + 1]] as const)) {
      memory.recordPartial(feed?.id ?? '', NOW - minutes * MINUTE);
    }
    const go = (now: number) =>
      rankFeeds(feeds, memory, optionsOf({ now })).feeds.map(({ projectId }) => projectId);
    expect(go(3)).toEqual(['late', 'd', 'c']);
    expect(go(4)).toEqual(['late', 'd', 'c', 'b']);
  });

  it('polls a feed whose last poll lies in the future soon', () => {
    const feeds = [feedOf('other'), feedOf('it')];
    expect(planned(feeds, { other: 25, it: -10 }, { now: 1 })).toEqual(['it']);
  });

  it('keeps the projects from starving all others where the budget is one request', () => {
    const feeds = [newFeed(projects, 'live'), feedOf('a')];
    expect(planned(feeds, { projects: 1, a: 20 }, { now: 1 })).toEqual(['a']);
    expect(planned(feeds, { projects: 20, a: 1 }, { now: 1 })).toEqual(['projects']);
  });

  it('is empty when nothing may be polled', () => {
    expect(planned([newFeed(projects, 'live'), feedOf('a')], {}, { now: 0 })).toEqual([]);
    expect(planned([], {}, { now: 5 })).toEqual([]);
  });

  it('tells how long a feed has waited at the most, but not while it was put off', () => {
    const feeds = [feedOf('a'), feedOf('b'), feedOf('c', { failures: 1, notBefore: NOW - MINUTE })];
    const memory = remembering(feeds, { a: 7, c: 60 });
    expect(rankFeeds(feeds, memory, optionsOf({ now: 1 })).waitedMs).toBe(7 * MINUTE);
  });

  it('says which wait it can keep when the budget is too small for the one that is wanted', () => {
    const feeds = Array.from({ length: 100 }, (_, i) => feedOf(`p${i}`));
    const kept = (now: number) =>
      rankFeeds(feeds, new PollHistory(), optionsOf({ now })).achievableWaitMs;
    expect(kept(4)).toBe(30 * MINUTE);
    expect(kept(3)).toBe((2 * 34 + 1) * MINUTE);
  });

  it('never takes a feed twice, one that is put off, or more than the budget allows', () => {
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
      fc.property(anyFeeds, fc.nat({ max: 20 }), fc.boolean(), (shapes, now, hasProjects) => {
        const feeds = shapes.map(({ id, failures, notBefore, recentChanges, quiet }) =>
          feedOf(id, { failures, notBefore, recentChanges, lastChange: NOW - quiet * MINUTE }),
        );
        if (hasProjects) feeds.push(newFeed(projects, 'live'));
        const waits = Object.fromEntries(
          shapes.flatMap(({ id, wait }) => (wait === undefined ? [] : [[id, wait]])),
        );
        const due = feeds.filter(({ notBefore }) => notBefore <= NOW);
        const ids = planned(feeds, waits, { now });
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(Math.min(now, due.length));
        expect(due.map(({ projectId = 'projects' }) => projectId)).toEqual(
          expect.arrayContaining(ids),
        );
      }),
    );
  });
});

describe('the longest wait', () => {
  it('is kept for every feed, however often others change, wanted or as long as the budget needs', () => {
    const setup = fc.record({
      count: fc.integer({ min: 2, max: 60 }),
      perTurn: fc.integer({ min: 1, max: 8 }),
      waitTurns: fc.integer({ min: 3, max: 40 }),
      busy: fc.array(fc.nat({ max: 59 })),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(setup, ({ count, perTurn, waitTurns, busy, seed }) => {
        const maxWaitMs = waitTurns * MINUTE;
        const isBusy = new Set(busy);
        const feeds = Array.from({ length: count }, (_, i) => feedOf(`p${i}`));
        const memory = new PollHistory();
        const polledAt = new Map(feeds.map(({ id }) => [id, NOW]));
        let chance = seed;
        const random = () => (chance = (chance * 16_807 + 11) % 2_147_483_647) / 2_147_483_647;
        for (let turn = 1; turn <= 150; turn += 1) {
          const at = NOW + turn * MINUTE;
          const now = feeds.map((feed, i) =>
            isBusy.has(i) ? { ...feed, recentChanges: 500, lastChange: at - 1000 } : feed,
          );
          const options = optionsOf({ at, now: perTurn, maxWaitMs, random });
          const result = rankFeeds(now, memory, options);
          for (const feed of result.feeds) {
            polledAt.set(feed.id, at);
            memory.polled(feed, feed, at);
          }
          // Who is not polled now waits until the next turn.
          const longest = at + MINUTE - Math.min(...polledAt.values());
          if (longest > result.achievableWaitMs)
            expect(longest).toBeLessThanOrEqual(result.achievableWaitMs);
          // Half a turn of the longest wait is kept for runs that begin late.
          const isEnough = count <= perTurn * (waitTurns - 1);
          if (isEnough !== (result.achievableWaitMs === maxWaitMs))
            expect(isEnough).toBe(!isEnough);
        }
      }),
      { numRuns: 60 },
    );
  });
});
