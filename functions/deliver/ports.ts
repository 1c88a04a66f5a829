import type { WebhookMetric } from './metrics.ts';

/** Everything that the deliveries of a webhook use. */
export interface DeliverPorts {
  readonly store: WebhookStore;
  readonly queue: WebhookQueue;
  readonly endpoint: WebhookEndpoint;
  readonly secrets: SigningSecrets;
  readonly largeEvents: LargeEvents;
  readonly mapping: WebhookMapping;
  readonly telemetry: WebhookTelemetry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Its endpoint answered 410, or only failed for a day, or an operator ordered it. */
export type DisabledBy = '410' | 'failures' | 'operator';

/** How a webhook's endpoint fares. Times are milliseconds since 1970. */
export interface WebhookState {
  /** Start of the first failed attempt after the last success; absent after a success. */
  readonly failingSince?: number;
  /** Set while no attempts are made. */
  readonly disabled?: { readonly at: number; readonly by: DisabledBy };
}

/** One try to deliver an event. */
export interface WebhookAttempt {
  /** `id`, `type` and `subject` of the event; of a message that is no event, the message's id. */
  readonly id: string;
  readonly type?: string | undefined;
  readonly subject?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How often the message was received: 1 for the first one. */
  readonly count: number;
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'dead-lettered';
  /** Status of the answer; absent without one. */
  readonly status?: number | undefined;
  /** Why it failed: a sentence, with the start of the answer. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
  /** When the next one is made, milliseconds since 1970; absent if none is. */
  readonly nextAt?: number | undefined;
}

/** The state and the attempts of one webhook. */
export interface WebhookStore {
  readonly name: string;
  loadState(): Promise<WebhookState>;
  /**
   * Notes a failure. It begins a new row of failures unless one goes on.
   *
   * @param maxGapMs a row whose last failure lies further back is over, without a success.
   * @returns the start of the row.
   */
  noteFailure(at: number, maxGapMs: number): Promise<number>;
  /** Ends the row of failures. */
  endFailures(): Promise<void>;
  /**
   * Disables the webhook.
   *
   * @param failingSince only while this row of failures goes on: no other process had a success.
   * @returns whether it is disabled now.
   */
  disable(by: DisabledBy, at: number, failingSince?: number): Promise<boolean>;
  /** Keeps attempts for 14 days. */
  saveAttempts(attempts: readonly WebhookAttempt[]): Promise<void>;
}

/** A message of the webhook's queue that was received. */
export interface WebhookMessage {
  readonly id: string;
  readonly receipt: string;
  /** The event as JSON. */
  readonly body: string;
  /** How often it was received, this time included. Receipts without an attempt count as well. */
  readonly receiveCount: number;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** The queue of a webhook, and its dead-letter queue. */
export interface WebhookQueue {
  /** Shows a message again after a wait, at most 12 hours after it was received. */
  hide(receipt: string, waitMs: number): Promise<void>;
  /** Puts a message into the dead-letter queue. It stays in the webhook's queue as well. */
  bury(message: WebhookMessage): Promise<void>;
}

/** The request to POST. */
export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a POST, or why there is none. */
export interface WebhookAnswer {
  readonly status?: number;
  /** The wait that the endpoint asks for with 429 or 503. */
  readonly retryAfterMs?: number;
  /** Start of the answer's body in one line, empty for a success; or why there was no answer. */
  readonly text: string;
}

/** The endpoint of a webhook. */
export interface WebhookEndpoint {
  /** Sends one request. Failures are answers: it never throws. */
  post(request: WebhookRequest): Promise<WebhookAnswer>;
}

/** Texts of an event that was too large for the topic. */
export interface LargeEvents {
  /**
   * Reads an event as a text.
   *
   * @param dataref `s3://<bucket>/<key>`.
   * @returns undefined if it has more bytes than the maximum.
   */
  read(dataref: string, maxBytes: number): Promise<string | undefined>;
  /** An https address at which anyone may read the event for a while. */
  presign(dataref: string): Promise<string>;
}

/** The mapping that passes the messages of the queue to the function. */
export interface WebhookMapping {
  /**
   * Stops it. That takes effect within a minute.
   *
   * @param isStillWanted is asked before each try: the call may wait until an earlier change of the
   *   mapping has taken effect.
   */
  stop(isStillWanted: () => Promise<boolean>): Promise<void>;
}

/** The secrets with which requests are signed. */
export interface SigningSecrets {
  /** The keys, the current one first; a second one while the secret rotates. */
  read(): Promise<readonly Uint8Array[]>;
}

/** Logs and metrics of a webhook. */
export interface WebhookTelemetry {
  count(metric: WebhookMetric, amount: number): void;
  /** Adds a value of a metric that has many in one invocation. */
  observe(metric: 'WebhookDeliverySeconds', value: number): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, error: unknown): void;
}
