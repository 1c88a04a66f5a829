import type { Duration } from 'aws-cdk-lib';

/** How a metric is read. */
export interface MetricReading {
  /** Default: 5 minutes. */
  readonly period?: Duration;
  /** Default: the sum of a count, the maximum of all others. */
  readonly statistic?: string;
  readonly label?: string;
}
