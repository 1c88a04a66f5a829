/** Whether a change that takes several calls may go on with the next one. */
export interface Permit {
  /**
   * To be called before each call.
   *
   * @throws LeaseLost when it may not go on.
   */
  readonly check: () => void;
  /** Aborted as soon as it may not: a call that is under way is given up. */
  readonly signal: AbortSignal;
}
