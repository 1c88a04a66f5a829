import type { Metric } from './metrics.ts';

/** Fields of a log entry, besides those of every entry, such as `level` and `message`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logs and metrics. Fields never hold a secret, a token or an authorization header. */
export interface Telemetry {
  /** Adds to a count, or reports a gauge, once a run. */
  count(metric: Exclude<Metric, 'EventLagSeconds'>, amount: number): void;
  /** Adds a value to a distribution. */
  observe(metric: 'EventLagSeconds', value: number): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}
