import { type Permit } from '../../core/ports/lease-guard.ts';

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
