/** How feeds may wait, and what there is to spend. */
export interface WaitLimits {
  /** No feed is to wait longer, in milliseconds. */
  readonly maxWaitMs: number;
  /** Time until the next plan, in milliseconds. */
  readonly turnMs: number;
  /** Feeds that can be polled now. */
  readonly now: number;
  /** Feeds that can be polled in each turn after this one. */
  readonly perTurn: number;
}

/**
 * The longest wait that can be kept. When the budget is too small for the configured one, twice the
 * time that polling all feeds takes: half of the budget is then still free for the feeds that change.
 */
export function achievableWait(feeds: number, { maxWaitMs, turnMs, perTurn }: WaitLimits): number {
  const turns = Math.ceil(feeds / Math.max(1, perTurn));
  return turns <= turnsIn(maxWaitMs, turnMs) ? maxWaitMs : (2 * turns + 1) * turnMs;
}

/**
 * Which feeds have to be polled now, or the longest wait cannot be kept: not only those for which it
 * ends, but also as many as would otherwise come due later in more than the budget of those turns.
 * After such a choice, whatever else is polled, the same can be said of the next turn: the wait is
 * kept for ever, if a turn's budget times the turns of the longest wait is as large as all feeds.
 *
 * @param waits how long each feed has waited, in milliseconds.
 * @param ranks which of the feeds that have equally many turns left go first: the highest.
 * @returns the indexes of those feeds.
 */
export function dueNow(waits: Float64Array, ranks: Float64Array, bound: WaitLimits): number[] {
  const last = Math.max(1, turnsIn(bound.maxWaitMs, bound.turnMs));
  const turnsLeft = new Int32Array(waits.length);
  const feedsByTurns = new Int32Array(last + 1);
  for (let i = 0; i < waits.length; i += 1) {
    const turns = turnsIn(bound.maxWaitMs - (waits[i] ?? 0), bound.turnMs);
    const left = Math.min(last, Math.max(0, turns));
    turnsLeft[i] = left;
    feedsByTurns[left] = (feedsByTurns[left] ?? 0) + 1;
  }
  let [needed, dueByThen] = [0, 0];
  for (let turn = 0; turn < last; turn += 1) {
    dueByThen += feedsByTurns[turn] ?? 0;
    needed = Math.max(needed, dueByThen - bound.perTurn * turn);
  }
  return first(Math.min(needed, bound.now), turnsLeft, feedsByTurns, { waits, ranks });
}

/** The indexes of so many feeds: those with the fewest turns left, and of them the highest ranks. */
function first(
  needed: number,
  turnsLeft: Int32Array,
  feedsByTurns: Int32Array,
  { waits, ranks }: { readonly waits: Float64Array; readonly ranks: Float64Array },
): number[] {
  if (needed <= 0) return [];
  let [cut, sooner] = [0, 0];
  while (sooner + (feedsByTurns[cut] ?? 0) < needed) sooner += feedsByTurns[cut++] ?? 0;
  const chosen: number[] = [];
  const atCut: number[] = [];
  for (let i = 0; i < turnsLeft.length; i += 1) {
    const turns = turnsLeft[i] ?? 0;
    if (turns < cut) chosen.push(i);
    else if (turns === cut) atCut.push(i);
  }
  // Who is overdue goes by how long it has waited: by rank, some would never go.
  const order = cut === 0 ? waits : ranks;
  atCut.sort((a, b) => (order[b] ?? 0) - (order[a] ?? 0));
  return [...chosen, ...atCut.slice(0, needed - sooner)];
}

/** Whole turns in a time, less half a turn: runs do not begin to the second. */
function turnsIn(time: number, turnMs: number): number {
  return Math.floor(time / turnMs - 0.5);
}
