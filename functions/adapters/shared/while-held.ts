import type { LeaseGuard } from '../../core/ports/lease-guard.ts';

/**
 * Makes a call if the lease is held, and aborts it when the lease is lost.
 *
 * @throws LeaseLostError in both cases, otherwise the error of the call.
 */
export async function whileHeld<Result>(
  guard: LeaseGuard | undefined,
  call: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  guard?.assertHeld();
  try {
    return await call(guard === undefined ? {} : { abortSignal: guard.signal });
  } catch (error) {
    guard?.assertHeld();
    throw error;
  }
}
