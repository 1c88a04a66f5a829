import { asTyped } from './typed-program.ts';

/** Exit codes of the command line. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command failed, and nothing but this text is shown. The hint is an imperative. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(message: string, hint?: string, exitCode: number = EXIT.failed) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, hint, EXIT.usage);
  }
}

/** The text of an error for people: what failed and why, then the hint, with commands as they have to be typed. */
export function describeError(error: unknown): string {
  if (!(error instanceof CliError)) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return asTyped(error.hint === undefined ? error.message : `${error.message}\n${error.hint}`);
}
