import {
  roundRobin,
  shipped,
  trueRates,
  type Budget,
  type PolicyMaker,
} from './freshness/policies.ts';
import { pollWorkload } from './freshness/poll-workload.ts';
import { makeWorkload, type Workload, type WorkloadKind } from './freshness/workload.ts';

/** How fresh a policy keeps a workload. All in seconds. */
export interface Freshness {
  /** From a change to the poll that finds it, over all changes after the first day. */
  readonly meanDelay: number;
  readonly p95Delay: number;
  /** Between two polls of any feed, after the first day. */
  readonly longestWait: number;
}

/** The figures of one number of feeds: means over the seeds, the longest wait of all. */
export interface FreshnessByPolicy {
  readonly roundRobin: Freshness;
  readonly trueRates: Freshness;
  readonly shipped: Freshness;
}

/** What is measured. */
export interface FreshnessOptions {
  /** Default 4,000. */
  readonly feeds?: number;
  /** Default 5. */
  readonly seeds?: number;
  /** Default 1,800, as in the config. */
  readonly maxWaitSeconds?: number;
}

/** The figures of quality.md, for any number of feeds. */
export interface FreshnessFigures {
  readonly stationary: FreshnessByPolicy;
  readonly bursty: FreshnessByPolicy;
  /** Mean delay ÷ round robin's. */
  readonly freshnessBursty: number;
  /** 95th percentile ÷ round robin's. */
  readonly freshnessBurstyP95: number;
  /** Mean delay ÷ that of the policy that knows the true rates. */
  readonly freshnessStationary: number;
  /** Of the planner that ships, both workloads. */
  readonly maxWaitSeconds: number;
}

/** Of quality.md, with the longest wait of the config. */
export const BUDGET: Budget = { tickSeconds: 60, requestsPerTick: 480, maxWaitSeconds: 1800 };
const FIRST_DAY_S = 86_400;

/** Simulates the freshness workload with the planner that ships and the two policies beside it. */
export function measureFreshness(options: FreshnessOptions = {}): FreshnessFigures {
  const stationary = measure('stationary', options);
  const bursty = measure('bursty', options);
  return {
    stationary,
    bursty,
    freshnessBursty: bursty.shipped.meanDelay / bursty.roundRobin.meanDelay,
    freshnessBurstyP95: bursty.shipped.p95Delay / bursty.roundRobin.p95Delay,
    freshnessStationary: stationary.shipped.meanDelay / stationary.trueRates.meanDelay,
    maxWaitSeconds: Math.max(stationary.shipped.longestWait, bursty.shipped.longestWait),
  };
}

function measure(kind: WorkloadKind, options: FreshnessOptions): FreshnessByPolicy {
  const of = (make: PolicyMaker): Freshness => meanFreshness(kind, make, options);
  return { roundRobin: of(roundRobin), trueRates: of(trueRates), shipped: of(shipped) };
}

/** How fresh a policy keeps a kind of workload: means over the seeds, the longest wait of all. */
export function meanFreshness(
  kind: WorkloadKind,
  make: PolicyMaker,
  { feeds = 4000, seeds = 5, maxWaitSeconds = 1800 }: FreshnessOptions,
): Freshness {
  const each = Array.from({ length: seeds }, (_, seed) =>
    simulatePolling(makeWorkload(feeds, kind, seed + 1), make, { ...BUDGET, maxWaitSeconds }),
  );
  const mean = (pick: (one: Freshness) => number): number =>
    each.reduce((sum, one) => sum + pick(one), 0) / seeds;
  return {
    meanDelay: mean(({ meanDelay }) => meanDelay),
    p95Delay: mean(({ p95Delay }) => p95Delay),
    longestWait: Math.max(...each.map(({ longestWait }) => longestWait)),
  };
}

/** How fresh a policy keeps a workload. */
export function simulatePolling(workload: Workload, make: PolicyMaker, budget: Budget): Freshness {
  const { feeds, seconds, times } = workload;
  const polledAt = new Float64Array(feeds);
  const delays: number[] = [];
  let longestWait = 0;
  for (const { feed, now, waited, found } of pollWorkload(workload, make, budget)) {
    for (const time of times.subarray(...found)) {
      if (time >= FIRST_DAY_S) delays.push(now - time);
    }
    if (now > FIRST_DAY_S) longestWait = Math.max(longestWait, waited);
    polledAt[feed] = now;
  }
  // What is not polled again waits too.
  for (const time of polledAt) longestWait = Math.max(longestWait, seconds - time);
  const sorted = Float64Array.from(delays).sort();
  return {
    meanDelay: sorted.reduce((sum, delay) => sum + delay, 0) / sorted.length,
    p95Delay: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    longestWait,
  };
}
