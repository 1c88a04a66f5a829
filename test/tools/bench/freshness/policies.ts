import { type Feed, nextActivity } from '../../../../functions/core/model/feed.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { rankFeeds } from '../../../../functions/core/schedule/rank-feeds.ts';
import { liveFeeds } from '../../../support/idle-feeds.ts';
import type { Workload } from './workload.ts';

/** What the simulation grants. */
export interface Budget {
  readonly tickSeconds: number;
  readonly requestsPerTick: number;
  readonly maxWaitSeconds: number;
}

/** Decides which feeds are polled. */
export interface Policy {
  /** Indexes of the feeds to poll at this time, in seconds from the start. */
  choose(now: number): Iterable<number>;
  /** Notes what the poll of a feed found: how many changes, and when the latest happened. */
  polled?(feed: number, changes: number, latest: number): void;
  /** Called when the polls of a tick are over. */
  over?(now: number): void;
}

export type PolicyMaker = (workload: Workload, budget: Budget) => Policy;

/** One feed after the other. */
export const roundRobin: PolicyMaker = ({ feeds }, { requestsPerTick }) => {
  let next = 0;
  return {
    choose: () => Array.from({ length: Math.min(feeds, requestsPerTick) }, () => next++ % feeds),
  };
};

/** √rate × time since the last poll, with the rates that nobody can know. */
export const trueRates: PolicyMaker = ({ feeds, rates }, { requestsPerTick }) => {
  const weights = rates.map(Math.sqrt);
  const polledAt = new Float64Array(feeds);
  const ranks = new Float64Array(feeds);
  return {
    choose: (now) => {
      for (let i = 0; i < feeds; i += 1) ranks[i] = (weights[i] ?? 0) * (now - (polledAt[i] ?? 0));
      const lowest = ranks.toSorted()[Math.max(0, feeds - requestsPerTick)] ?? 0;
      const chosen: number[] = [];
      for (let i = 0; i < feeds && chosen.length < requestsPerTick; i += 1) {
        if ((ranks[i] ?? 0) < lowest) continue;
        chosen.push(i);
        polledAt[i] = now;
      }
      return chosen;
    },
  };
};

const START_MS = Date.parse('2026-03-02T00:00:00.000Z');

/** The scheduler that ships, with the poll history that ships. */
export const shipped: PolicyMaker = (
  workload,
  { tickSeconds, requestsPerTick, maxWaitSeconds },
) => {
  // Without the list of projects.
  const feeds = liveFeeds(workload.feeds / 2).slice(1);
  const indexes = new Map(feeds.map(({ id }, i) => [id, i]));
  const ranked = new Map<number, Feed>();
  const history = new PollHistory();
  let at = START_MS;
  return {
    choose: (now) => {
      at = START_MS + now * 1000;
      ranked.clear();
      const { feeds: chosen } = rankFeeds(feeds, history, {
        now: at,
        budget: requestsPerTick,
        budgetPerTurn: requestsPerTick,
        turnMs: tickSeconds * 1000,
        maxWaitMs: maxWaitSeconds * 1000,
      });
      for (const feed of chosen) ranked.set(indexes.get(feed.id) ?? 0, feed);
      return ranked.keys();
    },
    polled: (i, changes, latest) => {
      const feed = feeds[i];
      if (feed !== undefined)
        feeds[i] = { ...feed, ...nextActivity(feed, changes, START_MS + latest * 1000) };
    },
    over: () => {
      for (const [i, before] of ranked) history.recordPoll(before, feeds[i] ?? before, at);
      // As each run does when it decodes the history.
      history.rates.forget(tickSeconds * 1000);
    },
  };
};
