import {
  isWritten,
  METRICS,
  type Metric,
  type MetricDefinition,
  type Monitoring,
} from '../../../functions/core/ports/metrics.ts';
import { PRICES } from './prices.ts';

/** A resource of a template, as far as it is billed as monitoring. */
export interface BilledResource {
  readonly Type: string;
  readonly Properties?: unknown;
}

/** What CloudWatch bills for a stage in a month in which nothing fails. */
export interface MonitoringBill {
  /** Metrics that have a value all month. */
  readonly steadyMetricCount: number;
  /** Metrics that alarms read: an alarm on an expression is billed for each. */
  readonly alarmCount: number;
  readonly dashboardCount: number;
}

/** Counts alarms and dashboards in the template, and metrics in their list. */
export function billMonitoring(
  resources: readonly BilledResource[],
  monitoring: Monitoring,
  shards: number,
): MonitoringBill {
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const isSteady = (name: Metric) => (METRICS[name] as MetricDefinition).isSteady === true;
  const steady = (Object.keys(METRICS) as Metric[]).filter(
    (name) => isWritten(METRICS[name], monitoring) && isSteady(name),
  );
  // Shards also write RunsCompleted with a dimension of their own.
  const shardCount = shards > 1 && steady.includes('RunsCompleted') ? shards : 0;
  return {
    steadyMetricCount: steady.length + shardCount,
    alarmCount: ofType('AWS::CloudWatch::Alarm').flatMap(metricsOfAlarm).length,
    dashboardCount: ofType('AWS::CloudWatch::Dashboard').length,
  };
}

function metricsOfAlarm({ Properties }: BilledResource): readonly unknown[] {
  const { Metrics } = (Properties ?? {}) as { readonly Metrics?: readonly object[] };
  return Metrics?.filter((metric) => 'MetricStat' in metric) ?? [{}];
}

/** A month of it, without the free tier. */
export function monitoringUsd(bill: MonitoringBill): number {
  const { metricMonth, alarmMonth, dashboardMonth } = PRICES;
  return (
    bill.steadyMetricCount * metricMonth +
    bill.alarmCount * alarmMonth +
    bill.dashboardCount * dashboardMonth
  );
}
