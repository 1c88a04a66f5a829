/** How long feeds may wait, and the budget for polling them. */
export interface WaitLimits {
  /** No feed should wait longer. */
  readonly maxWaitMs: number;
  /** Time until the next ranking. */
  readonly turnMs: number;
  /** Feeds that can be polled in this turn. */
  readonly budget: number;
  /** Feeds that can be polled in each later turn. */
  readonly budgetPerTurn: number;
}

/**
 * The maximum wait that the budget can keep. If the configured one is too short, it is twice the
 * time of polling all feeds: half of the budget stays free for the feeds that change.
 */
export function achievableWait(
  feedCount: number,
  { maxWaitMs, turnMs, budgetPerTurn }: WaitLimits,
): number {
  const turns = Math.ceil(feedCount / Math.max(1, budgetPerTurn));
  return turns <= turnsIn(maxWaitMs, turnMs) ? maxWaitMs : (2 * turns + 1) * turnMs;
}

/**
 * Feeds that must be polled in this turn to keep the maximum wait: those whose deadline is now,
 * plus enough others that no later turn has more deadlines than budget. Keeping this in every turn
 * keeps the maximum wait.
 *
 * @param waits how long each feed has waited, in milliseconds.
 * @param ranks of the feeds with equally many turns left, the highest are taken first.
 * @returns the indexes of those feeds.
 */
export function dueNow(waits: Float64Array, ranks: Float64Array, limits: WaitLimits): number[] {
  const last = Math.max(1, turnsIn(limits.maxWaitMs, limits.turnMs));
  const turnsLeft = new Int32Array(waits.length);
  const feedsByTurns = new Int32Array(last + 1);
  for (let i = 0; i < waits.length; i += 1) {
    const turns = turnsIn(limits.maxWaitMs - (waits[i] ?? 0), limits.turnMs);
    const remaining = Math.min(last, Math.max(0, turns));
    turnsLeft[i] = remaining;
    feedsByTurns[remaining] = (feedsByTurns[remaining] ?? 0) + 1;
  }
  let [needed, dueSoFar] = [0, 0];
  // It may be infinite.
  const perTurn = Math.min(limits.budgetPerTurn, waits.length);
  for (let turn = 0; turn < last; turn += 1) {
    dueSoFar += feedsByTurns[turn] ?? 0;
    needed = Math.max(needed, dueSoFar - perTurn * turn);
  }
  return earliest(Math.min(needed, limits.budget), turnsLeft, feedsByTurns, { waits, ranks });
}

/**
 * The indexes of this many feeds: those with the fewest turns left, and of them the highest ranks.
 */
function earliest(
  count: number,
  turnsLeft: Int32Array,
  feedsByTurns: Int32Array,
  { waits, ranks }: { readonly waits: Float64Array; readonly ranks: Float64Array },
): number[] {
  if (count <= 0) return [];
  let [cut, sooner] = [0, 0];
  while (sooner + (feedsByTurns[cut] ?? 0) < count) sooner += feedsByTurns[cut++] ?? 0;
  const chosen: number[] = [];
  const atCut: number[] = [];
  for (let i = 0; i < turnsLeft.length; i += 1) {
    const turns = turnsLeft[i] ?? 0;
    if (turns < cut) chosen.push(i);
    else if (turns === cut) atCut.push(i);
  }
  // Overdue feeds go by their waits: by rank, some would never be polled.
  const order = cut === 0 ? waits : ranks;
  atCut.sort((a, b) => (order[b] ?? 0) - (order[a] ?? 0));
  return [...chosen, ...atCut.slice(0, count - sooner)];
}

/**
 * The smallest budget of a turn that keeps the maximum wait: the projects list takes one request of
 * each turn. Undefined if feeds may not even wait for the next turn.
 */
export function neededBudget(
  feedCount: number,
  { maxWaitMs, turnMs }: Pick<WaitLimits, 'maxWaitMs' | 'turnMs'>,
): number | undefined {
  const turns = turnsIn(maxWaitMs, turnMs);
  if (turns < 1) return undefined;
  return feedCount <= turns ? 1 : Math.ceil((feedCount - 1) / turns) + 1;
}

/** Whole turns in a time, less half a turn, because runs may start late. */
function turnsIn(time: number, turnMs: number): number {
  return Math.floor(time / turnMs - 0.5);
}
