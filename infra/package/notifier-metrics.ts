import { Annotations, Duration } from 'aws-cdk-lib';
import { Stats, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import {
  isWritten,
  METRICS,
  type Metric as MetricName,
  type Monitoring,
} from '../../functions/core/ports/metrics.ts';
import { findNearest } from '../config/find-nearest.ts';
import { PollerMetrics } from '../construct/monitoring/poller-metrics.ts';

export type { MetricName };

/** How a metric is read. */
export interface MetricReading {
  /** Default: 5 minutes. */
  readonly period?: Duration;
  /** Default: the sum of a count, the maximum of all others. */
  readonly statistic?: string;
  readonly label?: string;
}

/** Counts that are reported once a run: their sum means nothing. */
const GAUGES: readonly MetricName[] = ['FeedsInBaseline', 'FeedsWaiting'];

/**
 * A metric of a notifier's pollers. Warns of one that is not written.
 *
 * @throws Error if there is none of this name, which JavaScript does not check.
 */
export function metricOf(
  notifier: Construct,
  { serviceName, monitoring }: { readonly serviceName: string; readonly monitoring: Monitoring },
  name: MetricName,
  reading: MetricReading,
): Metric {
  if (!Object.hasOwn(METRICS, name)) {
    const nearest = findNearest(name, Object.keys(METRICS));
    const advice =
      nearest === undefined ? 'docs/monitoring.md lists them.' : `Did you mean "${nearest}"?`;
    throw new Error(`There is no metric "${name}". ${advice}`);
  }
  if (!isWritten(METRICS[name], monitoring)) {
    Annotations.of(notifier).addWarningV2(
      'sitecast:metric',
      `The metric ${name} has no values: config.monitoring is "${monitoring}"; ` +
        `"${METRICS[name].monitoring}" writes it.`,
    );
  }
  const isCount = METRICS[name].unit === 'Count' && !GAUGES.includes(name);
  return new PollerMetrics(serviceName).metric(name, {
    period: Duration.minutes(5),
    statistic: isCount ? Stats.SUM : Stats.MAXIMUM,
    ...reading,
  });
}
