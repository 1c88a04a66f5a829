import type { Metric } from './metrics.ts';

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
  /** Adds to a count, or reports a gauge, once a run. */
  count(metric: Exclude<Metric, 'EventLagSeconds' | 'FailedRuns'>, amount: number): void;
  /** Adds a value to a distribution. */
  observe(metric: 'EventLagSeconds', value: number): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}
