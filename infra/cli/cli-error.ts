/** Exit codes of the program. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command failed, and nothing but this text is shown. The hint is an imperative. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly hint: string | undefined;
  readonly exitCode: number = EXIT.failed;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
  override readonly exitCode = EXIT.usage;
}

/** The text of an error for people: what failed and why, then the hint. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof CliError)) return `${error.name}: ${error.message}`;
  return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
}
