/** Whether the run still holds its lease. */
export interface LeaseGuard {
  /**
   * Call it before each call that publishes or saves.
   *
   * @throws LeaseLostError when the lease is lost.
   */
  readonly assertHeld: () => void;
  /** Aborted when the lease is lost, to cancel calls in flight. */
  readonly signal: AbortSignal;
}
