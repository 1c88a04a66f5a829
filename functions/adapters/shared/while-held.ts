import { type LeaseGuard } from '../../core/ports/lease-guard.ts';

/**
 * Makes a call if it is permitted, and gives it up when it no longer is.
 *
 * @throws LeaseLostError in both cases; whatever the call rejects with otherwise.
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
