import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Feed } from '../../../../functions/core/model/feed.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import {
  changesBetween,
  nextActivity,
  recentChanges,
} from '../../../../functions/core/model/feed-activity.ts';
import { encode, decode } from '../../../../functions/core/schedule/poll-history-codec.ts';
import { BUCKETS, ChangeRates } from '../../../../functions/core/schedule/change-rates.ts';
import { feedOf } from '../../../support/samples.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const feeds = Array.from({ length: 50 }, (_, i) => feedOf({ projectId: `p${i}` }));
const ids = feeds.map(({ id }) => id);
const [first = feedOf({ projectId: 'p0' }), second = first] = feeds;

/** A memory in which the feeds were polled so many seconds before now. */
function rememberingSeconds(ages: readonly number[]): PollHistory {
  const memory = new PollHistory();
  ages.forEach((age, i) => {
    const feed = feeds[i];
    if (feed) memory.polled(feed, feed, NOW - age * SECOND);
  });
  return memory;
}

describe('what the planner remembers', () => {
  it('comes back as it was packed, at any later time and for whichever feeds there are then', () => {
    const anyAges = fc.array(fc.nat({ max: 86_400 }), { maxLength: feeds.length });
    fc.assert(
      fc.property(anyAges, fc.nat({ max: 7 * 86_400 }), (ages, later) => {
        const encoded = encode(rememberingSeconds(ages), ids, NOW);
        const reader = decode(encoded, [...ids.slice(1), 'another'], NOW + later * SECOND);
        expect(reader.polledAt(first.id)).toBeUndefined();
        expect(reader.polledAt('another')).toBeUndefined();
        for (const [i, id] of ids.entries()) {
          const age = i === 0 ? undefined : ages[i];
          expect(reader.polledAt(id)).toBe(age === undefined ? undefined : NOW - age * SECOND);
        }
      }),
    );
  });

  it('is rounded to a longer wait, never to a shorter one', () => {
    const memory = rememberingSeconds([5]);
    const polledAt = decode(encode(memory, ids, NOW + 300), ids, NOW + 300).polledAt(first.id);
    expect(polledAt).toBeLessThanOrEqual(NOW - 5 * SECOND);
    expect(polledAt).toBeGreaterThan(NOW - 7 * SECOND);
  });

  it('does not tell when feeds were polled once it is too old, but keeps the rates', () => {
    const memory = rememberingSeconds([5]);
    memory.rates.learn(7, 1000, HOUR);
    const encoded = encode(memory, ids, NOW);
    expect(decode(encoded, ids, NOW).rates.observedMs[7]).toBe(HOUR);
    expect(decode(encoded, ids, NOW + HOUR, HOUR).polledAt(first.id)).toBe(NOW - 5 * SECOND);
    const late = decode(encoded, ids, NOW + HOUR + SECOND, HOUR);
    expect(late.polledAt(first.id)).toBeUndefined();
    expect(late.rates.changes[7]).toBeGreaterThan(900);
  });

  it('takes longer waits for 30 days, and forgets polls that lie in the future', () => {
    const encoded = encode(rememberingSeconds([40 * 86_400, -5]), ids, NOW);
    expect(decode(encoded, ids, NOW).polledAt(first.id)).toBe(NOW - 30 * DAY);
    expect(decode(encoded, ids, NOW).polledAt(second.id)).toBeUndefined();
  });

  it('tells which lists were left unfinished, until they are polled to their end', () => {
    const memory = rememberingSeconds([5, 5]);
    memory.recordPartial(first.id, NOW);
    const later = NOW + 90 * SECOND;
    const reader = decode(encode(memory, ids, later), ids, later);
    expect([first, second].map(({ id }) => reader.isUnfinished(id))).toEqual([true, false]);
    // Or its wait would begin anew in each run.
    expect(reader.polledAt(first.id)).toBe(NOW);
    reader.polled(first, first, NOW);
    expect(reader.isUnfinished(first.id)).toBe(false);
  });

  it('knows nothing of two feeds that share a hash when one was never polled', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => feedOf({ projectId: `p${i}` }));
    const memory = new PollHistory();
    const polled = many.slice(0, 10_000);
    for (const feed of polled) memory.polled(feed, feed, NOW);
    const reader = decode(
      encode(
        memory,
        many.map(({ id }) => id),
        NOW,
      ),
      many.map(({ id }) => id),
      NOW,
    );
    expect(many.slice(10_000).filter(({ id }) => reader.polledAt(id) !== undefined)).toEqual([]);
    expect(polled.filter(({ id }) => reader.polledAt(id) === undefined).length).toBeLessThan(50);
  });

  it('takes the longer wait for both of two feeds that share a hash', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => feedOf({ projectId: `p${i}` }));
    const memory = new PollHistory();
    many.forEach((feed, i) => {
      memory.polled(feed, feed, NOW - i * SECOND);
    });
    const all = many.map(({ id }) => id);
    const encoded = encode(memory, all, NOW);
    expect(encode(memory, all.toReversed(), NOW)).toEqual(encoded);
    const reader = decode(encoded, all, NOW);
    const earlier = all.filter((id, i) => reader.polledAt(id) !== NOW - i * SECOND);
    expect(earlier.length).toBeGreaterThan(0);
    expect(earlier.length).toBeLessThan(40);
    for (const id of earlier) {
      expect(reader.polledAt(id)).toBeLessThan(NOW - all.indexOf(id) * SECOND);
    }
  });

  it('is nothing when it was changed in any byte, cut, or is missing', () => {
    const memory = rememberingSeconds([1, 2, 3]);
    memory.rates.learn(3, 5, HOUR);
    const encoded = encode(memory, ids, NOW);
    const place = fc.nat({ max: encoded.length - 1 });
    const isNothing = (bytes: Uint8Array | undefined): void => {
      const reader = decode(bytes, ids, NOW);
      expect(ids.filter((id) => reader.polledAt(id) !== undefined)).toEqual([]);
      expect(reader.rates.rates()).toEqual(new ChangeRates().rates());
    };
    isNothing(undefined);
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = encoded.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        isNothing(changed);
        isNothing(encoded.slice(0, at));
      }),
    );
  });

  it('is never misread, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(decode(bytes, ids, NOW).polledAt(first.id)).toBeUndefined();
      }),
    );
  });

  it('costs some two bytes a feed when they were polled in turns', () => {
    const many = Array.from({ length: 4000 }, (_, i) => feedOf({ projectId: `p${i}` }));
    const memory = new PollHistory();
    many.forEach((feed, i) => {
      memory.polled(feed, feed, NOW - Math.floor(i / 480) * 60 * SECOND);
    });
    const encoded = encode(
      memory,
      many.map(({ id }) => id),
      NOW,
    );
    expect(encoded.length).toBeLessThan(4.2 * 4000);
  });
});

describe('the rates that the planner has learned', () => {
  const bucketOf = (pace: Partial<Feed>): number => new ChangeRates().bucketOf(pace, NOW);

  it('tell feeds apart by how busy they are, and by how long ago they changed', () => {
    const idle = bucketOf({});
    const kinds = [
      bucketOf({ lastChange: NOW, recentChanges: 1 }),
      bucketOf({ lastChange: NOW - 10 * 60 * SECOND, recentChanges: 1 }),
      bucketOf({ lastChange: NOW, recentChanges: 100 }),
      bucketOf({ lastChange: NOW - 10 * DAY, recentChanges: 1 }),
    ];
    expect(new Set(kinds).size).toBe(4);
    expect(kinds.at(-1)).toBe(idle);
    expect(Math.max(...kinds)).toBeLessThan(BUCKETS);
    expect(bucketOf({ lastChange: NOW - 1e12, recentChanges: 1e9 })).toBeLessThan(BUCKETS);
    expect(bucketOf({ lastChange: NOW + HOUR, recentChanges: 1e9 })).toBeLessThan(BUCKETS);
  });

  it('are guessed at first: the busier, the higher', () => {
    const rates = new ChangeRates().rates();
    const at = (recent: number) => rates[bucketOf({ lastChange: NOW, recentChanges: recent })] ?? 0;
    expect(at(1)).toBeGreaterThan(at(0.1));
    expect(at(100)).toBeGreaterThan(at(1));
  });

  it('come near to what polls find', () => {
    const table = new ChangeRates();
    const before = table.rates()[7] ?? 0;
    for (let n = 0; n < 10; n += 1) table.learn(7, 50_000, 100_000 * 60 * SECOND);
    expect((table.rates()[7] ?? 0) * 60 * SECOND).toBeCloseTo(0.5, 2);
    expect(table.rates()[8]).toBe(new ChangeRates().rates()[8]);
    table.forget(90 * DAY);
    expect(table.rates()[7]).toBeCloseTo(before, 12);
  });

  it('do not count what was learned in a future', () => {
    const table = new ChangeRates();
    table.learn(7, 5, HOUR);
    const rates = table.rates();
    table.forget(-HOUR);
    expect(table.rates()).toEqual(rates);
  });

  const before = { ...first, lastChange: NOW - HOUR, recentChanges: 3 };
  const after = { ...before, ...nextActivity(before, 4, NOW) };

  /** What is learned of a second poll. */
  const learned = (from: Feed, to: Feed, plannedAt = NOW + HOUR): boolean => {
    const memory = new PollHistory();
    memory.polled(from, from, NOW - HOUR);
    memory.polled(from, to, plannedAt);
    return [...memory.rates.observedMs, ...memory.rates.changes].some((each) => each !== 0);
  };

  it('are learned from how many changes a poll found, and the time it covered', () => {
    const memory = new PollHistory();
    memory.polled(before, before, NOW - HOUR);
    memory.polled(before, after, NOW);
    const kind = memory.rates.bucketOf(before, NOW);
    expect(memory.rates.changes[kind]).toBe(4);
    expect(memory.rates.observedMs[kind]).toBe(HOUR);
    expect(memory.polledAt(first.id)).toBe(NOW);
  });

  it('are not learned from first polls, baselines, failures and parked feeds', () => {
    expect(learned(before, after)).toBe(true);
    expect(learned({ ...before, phase: 'baseline' }, after)).toBe(false);
    expect(learned(before, { ...after, failures: 1 })).toBe(false);
    expect(learned(before, { ...after, parked: 'refused' })).toBe(false);
    expect(learned(before, after, NOW - HOUR)).toBe(false);
  });
});

describe('the pace of a feed', () => {
  it('stays as it is when a page shows no change', () => {
    expect(nextActivity({ lastChange: 5, recentChanges: 2 }, 0, NOW)).toEqual({});
  });

  it('counts changes of an hour ago almost fully, and those of last week hardly at all', () => {
    const pace = nextActivity({}, 8, NOW);
    expect(pace).toEqual({ lastChange: NOW, recentChanges: 8 });
    expect(recentChanges(pace, NOW + HOUR)).toBeCloseTo(7.7, 1);
    expect(recentChanges(pace, NOW + 7 * DAY)).toBeLessThan(0.01);
    expect(nextActivity(pace, 2, NOW + HOUR).recentChanges).toBeCloseTo(9.7, 1);
  });

  it('does not take a bulk import for the pace of what follows', () => {
    expect(nextActivity({}, 1000, NOW).recentChanges).toBe(50);
  });

  it('never goes back when an older change is found later', () => {
    expect(nextActivity({ lastChange: NOW, recentChanges: 1 }, 1, NOW - HOUR)).toEqual({
      lastChange: NOW,
      recentChanges: 2,
    });
  });

  it('tells how many changes came between two states', () => {
    const before = { lastChange: NOW - HOUR, recentChanges: 31.4 };
    const after = nextActivity(before, 7, NOW);
    expect(changesBetween(before, after)).toBe(7);
    expect(changesBetween(before, before)).toBe(0);
    expect(changesBetween({}, {})).toBe(0);
  });
});
