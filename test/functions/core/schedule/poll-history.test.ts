import { describe, expect, it } from 'vitest';
import { type Feed, nextActivity } from '../../../../functions/core/model/feed.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { feedOf } from '../../../support/samples.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const HOUR = 3_600_000;

const before: Feed = { ...feedOf({ projectId: 'p' }), lastChange: NOW - HOUR, recentChanges: 3 };
const after: Feed = { ...before, ...nextActivity(before, 4, NOW) };

const WAIT = { until: 5, failures: 1, cause: 'away', since: 1 };

describe('PollHistory', () => {
  it('records when a feed was polled, how many changes a poll found, and the time it covered', () => {
    const history = new PollHistory();
    history.recordPoll(before, before, NOW - HOUR);
    history.recordPoll(before, after, NOW);
    const bucket = history.rates.bucketOf(before, NOW);
    expect(history.rates.changes[bucket]).toBe(4);
    expect(history.rates.observedMs[bucket]).toBe(HOUR);
    expect(history.polledAt(before.id)).toBe(NOW);
  });

  it('keeps a list unfinished until it is polled to its end', () => {
    const history = new PollHistory();
    history.recordPartial(before.id, NOW + 999);
    expect(history.isUnfinished(before.id)).toBe(true);
    expect(history.polledAt(before.id)).toBe(NOW);
    history.recordPoll(before, after, NOW + HOUR);
    expect(history.isUnfinished(before.id)).toBe(false);
  });

  it.each<[string, Feed, Feed, number, boolean]>([
    ['a usual poll', before, after, NOW + HOUR, true],
    ['a baseline', { ...before, phase: 'baseline' }, after, NOW + HOUR, false],
    ['a failed poll', before, { ...after, wait: WAIT }, NOW + HOUR, false],
    ['a parked feed', before, { ...after, parked: { until: 0 } }, NOW + HOUR, false],
    ['a poll at the time of the last one', before, after, NOW - HOUR, false],
    ['a poll before the last one', before, after, NOW - 2 * HOUR, false],
  ])('knows whether %s shows a rate', (_, from, to, rankedAt, isRecorded) => {
    const history = new PollHistory();
    history.recordPoll(from, from, NOW - HOUR);
    history.recordPoll(from, to, rankedAt);
    expect(history.rates.observedMs.some((each) => each !== 0)).toBe(isRecorded);
    expect(history.rates.changes.some((each) => each !== 0)).toBe(isRecorded);
  });
});
