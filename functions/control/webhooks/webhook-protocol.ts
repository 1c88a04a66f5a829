/** What is asked about webhooks. Times are ISO 8601. */
export type WebhookRequest =
  | { readonly command: 'webhook-list' }
  /** An event that tells nothing goes the way of all others. */
  | { readonly command: 'webhook-test'; readonly name: string }
  | { readonly command: 'webhook-enable' | 'webhook-disable'; readonly name: string }
  | {
      readonly command: 'webhook-attempts';
      readonly name: string;
      /** Only those that failed. */
      readonly failed?: boolean;
      /** Default: 100. */
      readonly limit?: number;
    }
  /** Dead letters are delivered again. */
  | {
      readonly command: 'webhook-resend';
      readonly name: string;
      /** Only events whose change is not older. */
      readonly since?: string;
    };

/** Where a webhook stands. */
export interface WebhookStatus {
  readonly name: string;
  readonly url: string;
  /** `not delivering`: its function has no event source mapping. */
  readonly state: 'delivering' | 'failing' | 'disabled' | 'not delivering';
  readonly failingSince?: string;
  readonly disabledAt?: string;
  /** An answer 410, a day of failures only, or an operator. */
  readonly disabledBy?: '410' | 'failures' | 'operator';
  /** Whether Lambda passes messages to the function: `Enabled`, `Disabled`, a word for the way there, or `missing`. */
  readonly mapping: string;
  /** About so many events are in the queue, those that wait for their next attempt included. */
  readonly waitingCount: number;
  /** About so many dead letters there are. */
  readonly deadCount: number;
}

export interface WebhookListAnswer {
  readonly command: 'webhook-list';
  readonly webhooks: readonly WebhookStatus[];
}

/** The webhook was changed, or an event was put into its queue. */
export interface WebhookDoneAnswer {
  readonly command: 'webhook-test' | 'webhook-enable' | 'webhook-disable';
  readonly name: string;
  /** Of the event, for a test. */
  readonly id?: string;
  /** Present if the event of a test waits until the webhook is enabled. */
  readonly disabled?: true;
  /** Present if the webhook was enabled, or disabled, already. */
  readonly wasSo?: true;
}

/** One try to deliver an event. */
export interface WebhookAttemptStatus {
  readonly id: string;
  readonly type?: string;
  readonly subject?: string;
  readonly at: string;
  /** How often SQS handed the event over: 1 for the first attempt. */
  readonly count: number;
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'dead-lettered';
  readonly status?: number;
  readonly reason?: string;
  readonly durationMs: number;
  /** Of the event's latest attempt, unless the webhook is disabled: when the next one is due. */
  readonly nextAt?: string;
}

export interface WebhookAttemptsAnswer {
  readonly command: 'webhook-attempts';
  readonly name: string;
  /** Present while the webhook is disabled: no event is tried. */
  readonly disabled?: true;
  /** The latest first. */
  readonly attempts: readonly WebhookAttemptStatus[];
  /** False when there are older ones. */
  readonly isComplete: boolean;
}

export interface WebhookResendAnswer {
  readonly command: 'webhook-resend';
  readonly name: string;
  readonly resentCount: number;
  /** False when there may be more dead letters. */
  readonly isComplete: boolean;
  /** Dead letters that somebody has looked at in the two minutes before: they are hidden until then. */
  readonly hiddenCount: number;
}

export type WebhookRequestAnswer =
  | WebhookListAnswer
  | WebhookDoneAnswer
  | WebhookAttemptsAnswer
  | WebhookResendAnswer;
