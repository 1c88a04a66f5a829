import { Random } from '../../../../infra/local/simulator/world/random.ts';

/** When changes happen: at any time, or while people work. */
export type WorkloadKind = 'stationary' | 'bursty';

/** Changes of many feeds over some days. Times in seconds from the start. */
export interface Workload {
  readonly feeds: number;
  readonly seconds: number;
  /** Changes a second, by feed, on average over all days. */
  readonly rates: Float64Array;
  /** Times of the changes: of feed i from `from[i]` to before `from[i + 1]`, in ascending order. */
  readonly times: Float64Array;
  readonly from: Int32Array;
}

/** Of all feeds together. */
const CHANGES_PER_DAY = 20_000;
const DAYS = 3;
const DAY_S = 86_400;
/** Only sessions that start between 08:00 and 18:00 count. */
const [OPENS_S, CLOSES_S] = [8 * 3600, 18 * 3600];
const MORE_CHANGES_PER_SESSION = 10;
const BETWEEN_CHANGES_S = 60;

/**
 * Makes the freshness workload: the rate of feed i is proportional to (i + 1)^−0.9, 20,000 changes
 * a day in all, 3 days. Stationary: Poisson. Bursty: sessions start as a Poisson process, each has
 * 1 + Exp(mean 10) changes 30 to 90 s apart, rates scaled to the same daily total.
 */
export function makeWorkload(feeds: number, kind: WorkloadKind, seed: number): Workload {
  const random = new Random(seed, `freshness ${kind}`);
  const timesOf = kind === 'stationary' ? poissonTimes : sessionTimes;
  const shares = Float64Array.from({ length: feeds }, (_, i) => (i + 1) ** -0.9);
  const sum = shares.reduce((a, b) => a + b, 0);
  const rates = shares.map((share) => ((CHANGES_PER_DAY / DAY_S) * share) / sum);
  const from = new Int32Array(feeds + 1);
  const times: number[] = [];
  for (const [i, rate] of rates.entries()) {
    for (const time of timesOf(rate, random).sort((a, b) => a - b)) times.push(time);
    from[i + 1] = times.length;
  }
  return { feeds, seconds: DAYS * DAY_S, rates, times: Float64Array.from(times), from };
}

function poissonTimes(rate: number, random: Random): number[] {
  const times: number[] = [];
  let time = exponential(rate, random);
  for (; time < DAYS * DAY_S; time += exponential(rate, random)) times.push(time);
  return times;
}

function sessionTimes(rate: number, random: Random): number[] {
  const times: number[] = [];
  const openS = CLOSES_S - OPENS_S;
  const sessionsPerOpenS = (rate * DAY_S) / (1 + MORE_CHANGES_PER_SESSION) / openS;
  let open = exponential(sessionsPerOpenS, random);
  for (; open < DAYS * openS; open += exponential(sessionsPerOpenS, random)) {
    const start = Math.floor(open / openS) * DAY_S + OPENS_S + (open % openS);
    const more = Math.round(exponential(1 / MORE_CHANGES_PER_SESSION, random));
    for (let [n, time] = [0, start]; n <= more && time < DAYS * DAY_S; n += 1) {
      times.push(time);
      time += BETWEEN_CHANGES_S * (0.5 + uniform(random));
    }
  }
  return times;
}

function exponential(rate: number, random: Random): number {
  return -Math.log(1 - uniform(random)) / rate;
}

/** Uniform in [0, 1). */
function uniform(random: Random): number {
  return random.below(2 ** 31) / 2 ** 31;
}
