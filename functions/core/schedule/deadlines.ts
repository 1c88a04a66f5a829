/** How long lists may wait, and the budget for polling them. */
export interface WaitLimits {
  /** No list should wait longer. */
  readonly maxWaitMs: number;
  /** Time until the next ranking. */
  readonly turnMs: number;
  /** Lists that can be polled in each later turn. */
  readonly budgetPerTurn: number;
}

/**
 * The maximum wait that the budget can keep. If the configured one is too short, it is twice the
 * time of polling all lists: half of the budget stays free for unfinished lists, and for those that
 * change.
 */
export function achievableWait(
  listCount: number,
  { maxWaitMs, turnMs, budgetPerTurn }: WaitLimits,
): number {
  const turns = Math.ceil(listCount / Math.max(1, budgetPerTurn));
  return turns <= turnsIn(maxWaitMs, turnMs) ? maxWaitMs : (2 * turns + 1) * turnMs;
}

/**
 * How many of the longest waits must end in this turn: those whose deadline is now, and enough
 * others to leave no later turn more deadlines than budget.
 *
 * @param waits of all lists, in milliseconds, the longest first.
 */
export function deadlineCount(waits: readonly number[], limits: WaitLimits): number {
  const { maxWaitMs, turnMs } = limits;
  // The budget may be infinite.
  const perTurn = Math.min(limits.budgetPerTurn, waits.length);
  let needed = 0;
  for (const [index, wait] of waits.entries()) {
    const laterTurns = Math.max(0, turnsIn(maxWaitMs - wait, turnMs));
    needed = Math.max(needed, index + 1 - perTurn * laterTurns);
  }
  return Math.ceil(needed);
}

/** Whole turns in a time, less half a turn, because runs may start late. */
function turnsIn(time: number, turnMs: number): number {
  return Math.floor(time / turnMs - 0.5);
}
