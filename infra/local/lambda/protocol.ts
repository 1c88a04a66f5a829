/**
 * Line that a function's process writes to both outputs at the end of an invocation, so that the
 * host knows that it has read all logs.
 */
export const END_OF_LOG = '\u0000end of invocation';

/** Message from the host to a function's process. */
export interface InvokeMessage {
  readonly type: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** Time of the timeout, in milliseconds since 1970. */
  readonly deadline: number;
}

/** An error in an answer of Lambda. */
export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** Message from a function's process to the host. */
export type ProcessMessage =
  /** The handler is loaded. */
  | { readonly type: 'ready' }
  /** The handler could not be loaded; the process ends. */
  | { readonly type: 'init-error'; readonly error: ErrorPayload }
  /** `payload` is JSON; absent when the handler returned nothing. */
  | { readonly type: 'result'; readonly requestId: string; readonly payload?: string }
  | { readonly type: 'error'; readonly requestId: string; readonly error: ErrorPayload };
