import { Random } from '../../../infra/local/service/world/random.ts';

/** How much changes, and for how long. */
export interface Extent {
  /** Of all feeds together. */
  readonly changesPerDay: number;
  readonly days: number;
}

const WORKLOAD: Extent = { changesPerDay: 20_000, days: 3 };

/** How changes come: at any time, or while people work. */
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

const DAY_S = 86_400;
/** Only sessions that start between 08:00 and 18:00 count. */
const [OPENS_S, CLOSES_S] = [8 * 3600, 18 * 3600];
const MORE_CHANGES_PER_SESSION = 10;
const BETWEEN_CHANGES_S = 60;

/**
 * The freshness workload: the rate of feed i is proportional to (i + 1)^−0.9, 20,000 changes a day in
 * all, 3 days. Stationary: Poisson. Bursty: sessions start as a Poisson process, each has
 * 1 + Exp(mean 10) changes 30 to 90 s apart, rates scaled to the same daily total.
 */
export function makeWorkload(
  feeds: number,
  kind: WorkloadKind,
  seed: number,
  extent: Extent = WORKLOAD,
): Workload {
  const random = new Random(seed, `freshness ${kind}`);
  const change = kind === 'stationary' ? steady : inSessions;
  const rates = ratesOf(feeds, extent);
  const times = Array.from(rates, (rate) => change(rate, extent.days, random));
  return workloadOf(times, rates, extent);
}

/**
 * The bursty workload, but for one thing: of feeds 2n and 2n + 1, which are of one project, sessions
 * begin together. Each feed has as many of them as it has there.
 *
 * @param together share of the sessions of the quieter of the two that begin with one of the other.
 */
export function makePairedWorkload(feeds: number, together: number, seed: number): Workload {
  const random = new Random(seed, 'freshness paired');
  const { days } = WORKLOAD;
  const rates = ratesOf(feeds, WORKLOAD);
  const times = Array.from(rates, (): number[] => []);
  for (let i = 0; i < feeds; i += 2) {
    const pair = rates.subarray(i, i + 2);
    const both = pair.length === 2 ? together * Math.min(...pair) : 0;
    for (const start of sessionStarts(both, days, random)) {
      for (const own of times.slice(i, i + 2)) own.push(...session(start, days, random));
    }
    for (const [n, rate] of pair.entries()) {
      times[i + n]?.push(...inSessions(rate - both, days, random));
    }
  }
  return workloadOf(times, rates, WORKLOAD);
}

/** Changes a second, by feed. */
function ratesOf(feeds: number, { changesPerDay }: Extent): Float64Array {
  const shares = Float64Array.from({ length: feeds }, (_, i) => (i + 1) ** -0.9);
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => ((changesPerDay / DAY_S) * share) / sum);
}

function workloadOf(
  timesByFeed: readonly number[][],
  rates: Float64Array,
  { days }: Extent,
): Workload {
  const from = new Int32Array(timesByFeed.length + 1);
  for (const [i, own] of timesByFeed.entries()) from[i + 1] = (from[i] ?? 0) + own.length;
  const times = Float64Array.from(timesByFeed.flatMap((own) => own.sort((a, b) => a - b)));
  return { feeds: timesByFeed.length, seconds: days * DAY_S, rates, times, from };
}

function steady(rate: number, days: number, random: Random): number[] {
  const times: number[] = [];
  for (let time = wait(rate, random); time < days * DAY_S; time += wait(rate, random)) {
    times.push(time);
  }
  return times;
}

/** @param rate of the changes of these sessions. */
function inSessions(rate: number, days: number, random: Random): number[] {
  const times: number[] = [];
  for (const start of sessionStarts(rate, days, random)) {
    times.push(...session(start, days, random));
  }
  return times;
}

function* sessionStarts(rate: number, days: number, random: Random): Generator<number> {
  const openS = CLOSES_S - OPENS_S;
  const sessionsPerOpenS = (rate * DAY_S) / (1 + MORE_CHANGES_PER_SESSION) / openS;
  let open = wait(sessionsPerOpenS, random);
  for (; open < days * openS; open += wait(sessionsPerOpenS, random)) {
    yield Math.floor(open / openS) * DAY_S + OPENS_S + (open % openS);
  }
}

/** Times of the changes of a session. */
function session(start: number, days: number, random: Random): number[] {
  const times: number[] = [];
  const more = Math.round(wait(1 / MORE_CHANGES_PER_SESSION, random));
  for (let [n, time] = [0, start]; n <= more && time < days * DAY_S; n += 1) {
    times.push(time);
    time += BETWEEN_CHANGES_S * (0.5 + unit(random));
  }
  return times;
}

/** Exponentially distributed. */
function wait(rate: number, random: Random): number {
  return -Math.log(1 - unit(random)) / rate;
}

/** Uniform in [0, 1). */
function unit(random: Random): number {
  return random.below(2 ** 31) / 2 ** 31;
}
