/** How much of a benchmark is run: all that its definition says, or just enough to see it work. */
export type Scale = 'full' | 'tiny';

/** One figure, as `npm run bench -- --json` names it. */
export interface Row {
  readonly key: string;
  /** What the figure is and how it comes about. */
  readonly definition: string;
  /** The largest figure that is good enough. */
  readonly goal: number;
  /** Behind the figure in the table; a ratio has none. */
  readonly unit?: string;
}

/** A measurement, which may yield several figures. */
export interface Bench {
  /** As in `npm run bench -- <name>`. */
  readonly name: string;
  readonly rows: readonly Row[];
  /**
   * In how many processes it is measured, one after the other: an odd number, of whose figures the middle
   * ones count. Default 1.
   */
  readonly processes?: number;
  /** Whether it is measured beside the one before it, since its figures do not depend on time. */
  readonly isMeasuredBeside?: boolean;
  /** @returns the figure of each row, by its key. */
  measure(scale: Scale): Promise<Readonly<Record<string, number>>>;
}

/** The middle one of an odd number of figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/**
 * The median of a over b, from measurements that alternate: whatever else the machine does hits both
 * sides alike. A round before them is not counted: the code is compiled in it.
 */
export async function medianRatio(
  times: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  for (let i = 0; i <= times; i += 1) ratios.push((await a()) / (await b()));
  return median(ratios.slice(1));
}

/**
 * All of a over all of b, from measurements that alternate. What one side leaves to do, as garbage, the
 * other one may be charged with: over several of both that evens out, and it does not within a pair.
 */
export async function ratioOfSums(
  times: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<number> {
  let [sumOfA, sumOfB] = [0, 0];
  for (let i = 0; i < times; i += 1) {
    sumOfA += await a();
    sumOfB += await b();
  }
  return sumOfA / sumOfB;
}

/** CPU time of this process for some work, in milliseconds. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
