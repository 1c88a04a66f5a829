import { Random } from '../../../infra/local/service/world/random.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import { PollHistory } from '../../../functions/core/schedule/poll-history.ts';
import { nextActivity } from '../../../functions/core/model/feed-activity.ts';
import { encode, decode } from '../../../functions/core/schedule/poll-history-codec.ts';
import type { ChangeRates } from '../../../functions/core/schedule/change-rates.ts';
import { LEAST_GAIN_MS, rankFeeds } from '../../../functions/core/schedule/rank-feeds.ts';
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
  /** Tells what the poll of a feed found: how many changes, and when the latest happened. */
  polled?(feed: number, changes: number, latest: number): void;
  /** Told when the polls of a tick are over. */
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

/** When simulations start. */
export const START_MS = Date.parse('2026-03-02T00:00:00.000Z');
/** Packing loses nothing that matters, but takes its time: once in so many ticks. */
const TICKS_BETWEEN_PACKING = 60;

/** The planner that ships, with the memory that ships. */
export const shipped: PolicyMaker = (workload, budget) => planning(liveFeeds(workload), budget);

/** The same, but for its thrift: it spends the whole budget on every tick, whatever that saves. */
export const lavish: PolicyMaker = (workload, budget) => planning(liveFeeds(workload), budget, 0);

/** What a poller remembers of an account. */
export interface Remembered {
  /** When its next run begins, in milliseconds since 1970. */
  readonly at: number;
  readonly feeds: readonly Feed[];
  /** The planner's memory. */
  readonly encoded: Uint8Array;
}

/** A planner, and what it remembers when it is asked for the feeds of a tick. */
export interface Planning extends Policy {
  readonly remembered: Remembered;
}

/**
 * The planner over these feeds. Its memory is packed and unpacked now and then.
 *
 * @param tried rates in place of the table that ships: there is no packed form of them.
 */
export function planning(
  start: readonly Feed[],
  { tickSeconds, requestsPerTick, maxWaitSeconds }: Budget,
  leastGainMs = LEAST_GAIN_MS,
  tried?: ChangeRates,
): Planning {
  const random = new Random(1, 'planner');
  const feeds = [...start];
  const indexes = new Map(feeds.map(({ id }, i) => [id, i]));
  const ids = feeds.map(({ id }) => id);
  const planned = new Map<number, Feed>();
  let memory = new PollHistory(tried);
  let ticks = 0;
  let at = START_MS;
  return {
    choose: (now) => {
      at = START_MS + now * 1000;
      planned.clear();
      const { feeds: chosen } = rankFeeds(feeds, memory, {
        at,
        now: requestsPerTick,
        perTurn: requestsPerTick,
        turnMs: tickSeconds * 1000,
        maxWaitMs: maxWaitSeconds * 1000,
        random: () => random.bits() / 2 ** 32,
        leastGainMs,
      });
      for (const feed of chosen) planned.set(indexes.get(feed.id) ?? 0, feed);
      return planned.keys();
    },
    polled: (i, changes, latest) => {
      const feed = feeds[i];
      if (feed !== undefined)
        feeds[i] = { ...feed, ...nextActivity(feed, changes, START_MS + latest * 1000) };
    },
    over: () => {
      for (const [i, before] of planned) memory.polled(before, feeds[i] ?? before, at);
      ticks += 1;
      if (tried !== undefined || ticks % TICKS_BETWEEN_PACKING !== 0) return;
      memory = decode(encode(memory, ids, at), ids, at);
      // Of a memory that is packed in each run, the time until it is unpacked is forgotten each time.
      memory.rates.forget(TICKS_BETWEEN_PACKING * tickSeconds * 1000);
    },
    get remembered() {
      return { at, feeds: [...feeds], encoded: encode(memory, ids, at) };
    },
  };
}

/** A feed for each of a workload; two of them, one after the other, are of one project. */
export function liveFeeds({ feeds }: Workload): Feed[] {
  return Array.from({ length: feeds }, (_, i) => liveFeed(i));
}

function liveFeed(i: number): Feed {
  const projectId = `00000000-0000-4000-8000-${String(i >> 1).padStart(12, '0')}`;
  const list = i % 2 === 0 ? 'floorplans' : 'template_checklists';
  return {
    id: `projects/${projectId}/${list}`,
    projectId,
    phase: 'live',
    failures: 0,
    notBefore: 0,
    revision: 1,
  };
}
