import {
  nextActivity,
  recentChanges,
  type Activity,
} from '../../../functions/core/model/feed-activity.ts';
import type { PolicyMaker } from './policies.ts';

/** Planners that were tried and are not shipped: simpler, and further from the goals. */
export const TRIED: Readonly<Record<string, PolicyMaker>> = {
  '1/√(time since the last change)': byWeight(
    ({ lastChange = 0 }, now) => 1 / Math.sqrt(now - lastChange + 30_000),
  ),
  '√(rate over a day)': byWeight((pace, now) => Math.sqrt(recentChanges(pace, now) + 0.5)),
  '(rate over a day ÷ time since the last change)^¼': byWeight(
    (pace, now) =>
      ((recentChanges(pace, now) + 0.5) / (now - (pace.lastChange ?? 0) + 30_000)) ** 0.25,
  ),
};

/** Polls first where a weight × the time since the last poll is highest. No longest wait. */
function byWeight(weightOf: (pace: Activity, nowMs: number) => number): PolicyMaker {
  return ({ feeds }, { requestsPerTick }) => {
    const paces = Array.from({ length: feeds }, (): Activity => ({}));
    const polledAt = new Float64Array(feeds);
    const ranks = new Float64Array(feeds);
    return {
      choose: (now) => {
        for (let i = 0; i < feeds; i += 1) {
          ranks[i] = weightOf(paces[i] ?? {}, now * 1000) * (now - (polledAt[i] ?? 0));
        }
        const lowest = ranks.toSorted()[Math.max(0, feeds - requestsPerTick)] ?? 0;
        const chosen: number[] = [];
        for (let i = 0; i < feeds && chosen.length < requestsPerTick; i += 1) {
          if ((ranks[i] ?? 0) < lowest) continue;
          chosen.push(i);
          polledAt[i] = now;
        }
        return chosen;
      },
      polled: (i, changes, latest) => {
        paces[i] = nextActivity(paces[i] ?? {}, changes, latest * 1000);
      },
    };
  };
}
