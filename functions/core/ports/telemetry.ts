/** The metrics. A metric that ends in `Seconds` is reported once a run. */
export type Metric =
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
  | 'ServiceOutage';

/** Logs and metrics. Fields never hold a secret, a token or an authorization header. */
export interface Telemetry {
  count(metric: Metric, amount: number): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, error: unknown, fields?: Readonly<Record<string, unknown>>): void;
}
