import { CliError } from './cli-error.ts';

/** A call of AWS, for messages. */
export interface AwsCall {
  /** What fails with it: `The stack cannot be looked up`. */
  readonly failure: string;
  /** `lambda:InvokeFunction`. */
  readonly action: string;
  /** Name of the resource. */
  readonly resource: string;
  /** Whether it is one of the local stack. */
  readonly isLocal: boolean;
}

/** Advice to those who name the local stack, and have none. */
export const START_LOCAL_STACK = 'Run npm start in another terminal, and wait until it polls.';

/** Names of errors of the SDK's clients. */
const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError']);
const REFUSED_CREDENTIALS =
  /^(ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|InvalidAccessKeyId|IncompleteSignature)/;
const DENIED = /^(AccessDenied|AuthorizationError|UnauthorizedOperation)/;
const LOG_IN = 'Log in (aws sso login, or aws configure), or name another profile with --profile.';

/**
 * Calls AWS.
 *
 * @throws CliError that tells why the call failed, and what to do.
 */
export async function callAws<T>(call: AwsCall, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw toCliError(error as Error, call);
  }
}

/** The local stack has ended since it was found, and all that was in it is gone. */
export class LocalStackEndedError extends CliError {}

/** Tells people what an error of the SDK means. */
export function toCliError(
  error: Error,
  { failure, action, resource, isLocal }: AwsCall,
): CliError {
  const { name, message } = error;
  const fail = (reason: string, hint?: string): CliError =>
    new CliError(`${failure}: ${reason}.`, hint);
  if (NO_CREDENTIALS.has(name)) return fail('there are no AWS credentials', LOG_IN);
  if (REFUSED_CREDENTIALS.test(name)) {
    return fail(`AWS refuses the credentials (${name})`, LOG_IN);
  }
  if (message === 'Region is missing') {
    return fail(
      'no AWS region is known',
      'Add --region, set AWS_REGION, or name a profile that has a region with --profile.',
    );
  }
  if (DENIED.test(name)) {
    return fail(
      `you may not call ${action} on ${resource}`,
      'Ask for this permission: docs/commands.md lists those that each command needs.',
    );
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined) {
    return isLocal
      ? new LocalStackEndedError(`${failure}: the local stack has ended.`, START_LOCAL_STACK)
      : fail(`there is no connection (${code})`, 'Check the network.');
  }
  return fail(`${name}: ${message.replace(/\.$/, '')}`);
}
