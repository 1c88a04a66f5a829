import type { Bench } from './bench.ts';
import { measureFreshness } from './freshness.ts';

const WORKLOAD =
  '4,000 feeds, rate of feed i proportional to (i + 1)^-0.9, 20,000 changes a day, 3 days, the first not ' +
  'counted, a tick of 60 s, 8 requests/s, five seeds; polled by the scheduler that ships';
const BURSTY =
  'Sessions start by chance, count from 08:00 to 18:00, and have 1 + Exp(10) changes a minute apart';

export const freshness: Bench = {
  name: 'freshness',
  isMeasuredBeside: true,
  rows: [
    {
      key: 'freshnessBursty',
      definition: `Mean delay from a change to its poll over that of round robin. ${BURSTY}. ${WORKLOAD}.`,
      goal: 0.28,
    },
    {
      key: 'freshnessBurstyP95',
      definition: '95th percentile of the delay over that of round robin, in the same runs.',
      goal: 0.66,
    },
    {
      key: 'freshnessStationary',
      definition:
        'Mean delay over that of the policy which knows the true rates. Changes come by chance at a ' +
        `steady rate. ${WORKLOAD}.`,
      goal: 1.07,
    },
    {
      key: 'maxWaitSeconds',
      definition:
        'The longest time between two polls of any feed, in both workloads; 1,800 s are allowed.',
      goal: 1_800,
      unit: 's',
    },
  ],
  measure(scale) {
    const options = scale === 'full' ? {} : { feeds: 10, seeds: 1 };
    const { freshnessBursty, freshnessBurstyP95, freshnessStationary, maxWaitSeconds } =
      measureFreshness(options);
    return Promise.resolve({
      freshnessBursty,
      freshnessBurstyP95,
      freshnessStationary,
      maxWaitSeconds,
    });
  },
};
