import {
  PublishFailedError,
  RefreshTokenRejectedError,
} from '../../../functions/core/model/errors.ts';

class InjectedFailure extends Error {
  override readonly name = 'InjectedFailure';
}

/** The error of a call that is made to fail. */
export const injected = (): Error => new InjectedFailure('made to fail');

/** Whether a run may end with this error, given its injected faults. */
export function isExpected(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every(isExpected);
  }
  return [InjectedFailure, PublishFailedError, RefreshTokenRejectedError].some(
    (kind) => error instanceof kind,
  );
}
