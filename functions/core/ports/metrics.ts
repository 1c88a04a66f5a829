/** The definition of a metric. docs/runbook.md says what to do about it. */
export interface MetricDefinition {
  readonly unit: 'Count' | 'Seconds' | 'Percent';
  /** The least `monitoring` that writes it; `basic` for essential alarms. */
  readonly monitoring: 'basic' | 'full';
  /** Set if healthy runs write it: CloudWatch bills it all month. Others cost next to nothing. */
  readonly isSteady?: true;
  /**
   * Its dimension besides `service`. CloudWatch bills each value as a metric of its own. One of
   * several shards also writes it without the dimension.
   */
  readonly by?: 'shard' | 'webhook';
}

/**
 * All metrics of the pollers.
 *
 * - A _gauge_ is reported once a run, at its end: all metrics in seconds and percent, and those of
 *   lists (`FeedsWaiting`).
 * - `EventLagSeconds` is a _distribution_, with a value for each event.
 * - All others are counts of a run.
 */
export const METRICS = {
  /** Share of `requestsPerMinute` spent in the last minute of a run. */
  BudgetUsedPercent: { unit: 'Percent', monitoring: 'full', isSteady: true },
  /** From `time` until the topic has the event, for each event of a poll. */
  EventLagSeconds: { unit: 'Seconds', monitoring: 'full' },
  EventsPublished: { unit: 'Count', monitoring: 'full' },
  /** Lists whose last poll failed, without parked ones. */
  FeedsWaiting: { unit: 'Count', monitoring: 'full' },
  LeaseHeld: { unit: 'Count', monitoring: 'full' },
  /** Runs that warn of waits longer than `maxWaitSeconds`. */
  MaxWaitExceeded: { unit: 'Count', monitoring: 'basic' },
  MaxWaitSeconds: { unit: 'Seconds', monitoring: 'full', isSteady: true },
  /** Time since the oldest failure that lasts, of a list or the service. */
  OldestFailureSeconds: { unit: 'Seconds', monitoring: 'basic' },
  PagesRead: { unit: 'Count', monitoring: 'full', isSteady: true },
  /** Peak of the process, as a share of `memoryMb`. */
  PeakMemoryPercent: { unit: 'Percent', monitoring: 'full', isSteady: true },
  ProtocolErrors: { unit: 'Count', monitoring: 'full' },
  PublishFailures: { unit: 'Count', monitoring: 'basic' },
  /** New entities and events in the quarantine. */
  Quarantined: { unit: 'Count', monitoring: 'basic' },
  /** Answers 429 that paused all requests. */
  RateLimited: { unit: 'Count', monitoring: 'full' },
  /** Events that a reconcile published. */
  ReconcileHealed: { unit: 'Count', monitoring: 'basic' },
  /** Lists whose reconcile was stopped or incomplete. */
  ReconcileListsFailed: { unit: 'Count', monitoring: 'basic' },
  /** Requests for pages and entities, retries included. */
  RequestsSent: { unit: 'Count', monitoring: 'full', isSteady: true },
  RunsCompleted: { unit: 'Count', monitoring: 'basic', isSteady: true, by: 'shard' },
  SaturatedTimestamp: { unit: 'Count', monitoring: 'basic' },
  ServiceOutage: { unit: 'Count', monitoring: 'full' },
  /** Runs that ended before they had polled all due lists. */
  StoppedEarly: { unit: 'Count', monitoring: 'full' },
  /** Requests for an access token. */
  TokenExchanges: { unit: 'Count', monitoring: 'full' },
  TokenMissing: { unit: 'Count', monitoring: 'basic' },
  TokenRefused: { unit: 'Count', monitoring: 'basic' },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type Metric = keyof typeof METRICS;

/** How many metrics are written, and paid for. */
export type Monitoring = 'off' | 'basic' | 'full';

/** Whether a metric is written. */
export function isWritten(
  metric: Pick<MetricDefinition, 'monitoring'>,
  monitoring: Monitoring,
): boolean {
  return monitoring === 'full' || (monitoring === 'basic' && metric.monitoring === 'basic');
}
