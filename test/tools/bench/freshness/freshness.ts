import type { Figures, Scale } from '../figures.ts';
import { roundRobin, shipped, trueRates, type Budget, type PolicyMaker } from './policies.ts';
import { makeWorkload, type Workload, type WorkloadKind } from './workload.ts';

/** How fresh a policy keeps a workload: seconds from a change to its poll. */
interface Freshness {
  readonly meanDelay: number;
  readonly p95Delay: number;
}

const BUDGET: Budget = { tickSeconds: 60, requestsPerTick: 480, maxWaitSeconds: 1800 };
const FIRST_DAY_S = 86_400;

/**
 * Polls 4,000 feeds for three days, of which the first is not counted, with the scheduler that
 * ships and with the policies beside it: means over five seeds.
 */
export function measureFreshness(scale: Scale): Promise<Figures> {
  const [feeds, seeds] = scale === 'full' ? [4000, 5] : [10, 1];
  const of = (kind: WorkloadKind, make: PolicyMaker): Freshness => {
    const each = Array.from({ length: seeds }, (_, seed) =>
      simulatePolling(makeWorkload(feeds, kind, seed + 1), make),
    );
    const mean = (pick: (one: Freshness) => number): number =>
      each.reduce((sum, one) => sum + pick(one), 0) / seeds;
    return { meanDelay: mean((one) => one.meanDelay), p95Delay: mean((one) => one.p95Delay) };
  };
  const [bursty, inTurns] = [of('bursty', shipped), of('bursty', roundRobin)];
  const [stationary, best] = [of('stationary', shipped), of('stationary', trueRates)];
  return Promise.resolve({
    freshnessBursty: bursty.meanDelay / inTurns.meanDelay,
    freshnessBurstyP95: bursty.p95Delay / inTurns.p95Delay,
    freshnessStationary: stationary.meanDelay / best.meanDelay,
  });
}

function simulatePolling(workload: Workload, make: PolicyMaker): Freshness {
  const { feeds, seconds, times, from } = workload;
  const policy = make(workload, BUDGET);
  const next = from.slice(0, feeds);
  const delays: number[] = [];
  for (let now = BUDGET.tickSeconds; now <= seconds; now += BUDGET.tickSeconds) {
    for (const feed of policy.choose(now)) {
      const [first, end] = [next[feed] ?? 0, from[feed + 1] ?? 0];
      let after = first;
      for (; after < end && (times[after] ?? 0) <= now; after += 1) {
        const time = times[after] ?? 0;
        if (time >= FIRST_DAY_S) delays.push(now - time);
      }
      next[feed] = after;
      if (after > first) policy.polled?.(feed, after - first, times[after - 1] ?? 0);
    }
    policy.over?.(now);
  }
  const sorted = Float64Array.from(delays).sort();
  return {
    meanDelay: sorted.reduce((sum, delay) => sum + delay, 0) / sorted.length,
    p95Delay: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
  };
}
