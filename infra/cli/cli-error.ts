export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command failed, and nothing but this text is shown. The hint is an imperative. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly hint: string | undefined;
  readonly exitCode: number = EXIT.failed;
  /** For programs, in place of the error alone. */
  document?: object;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export class UsageError extends CliError {
  override readonly name = 'UsageError';
  override readonly exitCode = EXIT.usage;
}

/** Errors in files of the user: their messages are for people. */
const PLAIN = ['CdkJsonError', 'ConfigInvalidError'];

/** The text of an error for people: its message, then its hint. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (!(error instanceof CliError)) return PLAIN.includes(name) ? message : `${name}: ${message}`;
  return error.hint === undefined ? message : `${message}\n${error.hint}`;
}

export interface AwsCall {
  /** The failure: `The stack cannot be looked up`. */
  readonly failure: string;
  readonly isLocal: boolean;
}

/** Advice to those who name the local stack, and have none. */
export const START_LOCAL_STACK = 'Run sitecast dev in another terminal, and wait until it polls.';

const LOG_IN = 'Log in (aws sso login, or aws configure), or name another profile with --profile.';

/** The meaning of errors of the SDK's clients, by their names and messages. */
const MEANINGS: readonly {
  readonly error: RegExp;
  readonly reason: string;
  readonly hint: string;
}[] = [
  {
    error: /^(Credentials|Token)ProviderError/,
    reason: 'there are no AWS credentials',
    hint: LOG_IN,
  },
  {
    error: /^(ExpiredToken|(Invalid|Unrecognized)Client|InvalidAccessKeyId|\w*Signature)/,
    reason: 'AWS refuses the credentials',
    hint: LOG_IN,
  },
  {
    error: /Region is missing/,
    reason: 'no AWS region is known',
    hint: 'Add --region, set AWS_REGION, or name a profile that has a region with --profile.',
  },
];
const DENIED = /^(AccessDenied|AuthorizationError|UnauthorizedOperation)/;

/** Calls AWS. @throws CliError with the cause and a hint. */
export async function callAws<T>(call: AwsCall, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw toCliError(error as Error, call);
  }
}

function toCliError(error: Error, { failure, isLocal }: AwsCall): CliError {
  const { name, message } = error;
  const meaning = MEANINGS.find((each) => each.error.test(`${name} ${message}`));
  if (meaning) return new CliError(`${failure}: ${meaning.reason}.`, meaning.hint);
  if (DENIED.test(name)) {
    return new CliError(
      `${failure}: ${message}`,
      'Ask for this permission: docs/operate.md lists those that each command needs.',
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return new CliError(`${failure}: ${name}: ${message}`);
  return isLocal
    ? new CliError(`${failure}: the local stack has ended.`, START_LOCAL_STACK)
    : new CliError(`${failure}: there is no connection (${code}).`, 'Check the network.');
}
