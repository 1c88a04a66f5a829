/** Begins the line with which a function answers an invocation. Other lines are logs. */
export const ANSWER = '\u0000answer ';

/** One line of the input of a function's process. */
export interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  /** Time of the timeout, in milliseconds since 1970. */
  readonly deadline: number;
}

/** An error in an answer of Lambda. */
export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  /** Stack of the handler's error; empty for Lambda's own errors. */
  readonly trace: readonly string[];
}

export interface Answer {
  /** The returned value as JSON; absent if there is none. */
  readonly payload?: string;
  readonly error?: ErrorPayload;
}
