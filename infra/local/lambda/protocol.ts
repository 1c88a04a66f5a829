/** Line that ends the log of an invocation in both outputs of a function's process. */
export const END_OF_LOG = '\u0000end of invocation';

/** Message from the host to a function's process. */
export interface InvokeMessage {
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

/** Message from a function's process to the host: the handler is loaded, or has answered. */
export interface ProcessMessage {
  /** The returned value as JSON; absent if there is none. */
  readonly payload?: string;
  readonly error?: ErrorPayload;
}
