import type { Budget, PolicyMaker } from './policies.ts';
import type { Workload } from './workload.ts';

/** A poll of a simulated feed. Times in seconds from the start. */
export interface SimulatedPoll {
  readonly feed: number;
  readonly now: number;
  /** Since it was last polled. */
  readonly waited: number;
  /** Which of the workload's times it has found: from the first to before the second. */
  readonly found: readonly [number, number];
}

/** Polls a workload from its start to its end, as the policy says. */
export function* pollWorkload(
  workload: Workload,
  make: PolicyMaker,
  budget: Budget,
): Generator<SimulatedPoll> {
  const { feeds, seconds, times, from } = workload;
  const policy = make(workload, budget);
  const next = from.slice(0, feeds);
  const polledAt = new Float64Array(feeds);
  for (let now = budget.tickSeconds; now <= seconds; now += budget.tickSeconds) {
    for (const feed of policy.choose(now)) {
      const [first, end] = [next[feed] ?? 0, from[feed + 1] ?? 0];
      let after = first;
      while (after < end && (times[after] ?? 0) <= now) after += 1;
      next[feed] = after;
      yield { feed, now, waited: now - (polledAt[feed] ?? 0), found: [first, after] };
      polledAt[feed] = now;
      if (after > first) policy.polled?.(feed, after - first, times[after - 1] ?? 0);
    }
    policy.over?.(now);
  }
}
