/** Whether a change that takes several calls may go on with the next one. */
export interface LeaseGuard {
  /**
   * To be called before each call.
   *
   * @throws LeaseLostError when it may not go on.
   */
  readonly assertHeld: () => void;
  /** Aborted as soon as it may not: a call that is under way is given up. */
  readonly signal: AbortSignal;
}
