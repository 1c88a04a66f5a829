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

/**
 * Makes a call if it is permitted, and gives it up when it no longer is.
 *
 * @throws LeaseLost in both cases; whatever the call rejects with otherwise.
 */
export async function whilePermitted<Result>(
  permit: Permit | undefined,
  call: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  permit?.check();
  try {
    return await call(permit === undefined ? {} : { abortSignal: permit.signal });
  } catch (error) {
    permit?.check();
    throw error;
  }
}
