/**
 * The line that a function's process writes to both its outputs at the end of an invocation: by it
 * the host knows that it has read all that the invocation logged.
 */
export const END_OF_LOG = '\u0000end of invocation';

/** What the host sends to a function's process. */
export interface InvokeMessage {
  readonly type: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** When the invocation is killed, in milliseconds since 1970. */
  readonly deadline: number;
}

/** How an error looks in an answer of Lambda. */
export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** What a function's process sends to its host. */
export type ProcessMessage =
  /** The handler is loaded; invocations may come. */
  | { readonly type: 'ready' }
  /** The handler could not be loaded; the process ends. */
  | { readonly type: 'init-error'; readonly error: ErrorPayload }
  /** `payload` is JSON; absent when the handler returned nothing. */
  | { readonly type: 'result'; readonly requestId: string; readonly payload?: string }
  | { readonly type: 'error'; readonly requestId: string; readonly error: ErrorPayload };
