/** The middle one of an odd number of figures. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? NaN;
}

/**
 * The median of a over b, from measurements that alternate: whatever else the machine does hits
 * both sides alike. A first round is not counted: code is compiled in it.
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
 * All of a over all of b, from measurements that alternate: the garbage of one side may be
 * collected in the other, which evens out over several of both.
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
