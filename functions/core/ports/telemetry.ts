/** The metrics. A metric that ends in `Seconds` is reported once a run. */
export type Metric =
  | 'CursorAhead'
  | 'EventsPublished'
  | 'FeedsPolled'
  | 'FeedsFailing'
  | 'FeedsParked'
  | 'FeedsWaiting'
  | 'LeaseHeld'
  | 'MaxWaitSeconds'
  | 'NextTrySeconds'
  | 'PagesRead'
  | 'ProtocolErrors'
  | 'PublishFailures'
  | 'Quarantined'
  | 'RunsCompleted'
  | 'SaturatedTimestamp'
  | 'ServiceOutage'
  | 'TokenMissing'
  | 'TokenRefused';

/** Names that a log entry has of its own: the logger would drop fields of these names. */
export const RESERVED_FIELDS = [
  'error',
  'level',
  'message',
  'sampling_rate',
  'service',
  'timestamp',
] as const;

/** Fields of a log entry. */
export type LogFields = Readonly<Record<string, unknown>> &
  Readonly<Partial<Record<(typeof RESERVED_FIELDS)[number], never>>>;

/** Logs and metrics. Fields never hold a secret, a token or an authorization header. */
export interface Telemetry {
  count(metric: Metric, amount: number): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}
