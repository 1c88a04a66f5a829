import {
  billedCount,
  isWritten,
  METRICS,
  type MetricDefinition,
  type MetricValues,
  type Monitoring,
} from '../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../../functions/deliver/metrics.ts';
import { PRICES } from './prices.ts';

/** A resource of a template, as far as it is billed as monitoring. */
export interface BilledResource {
  readonly Type: string;
  readonly Properties?: unknown;
}

/** What CloudWatch bills for a stage, besides logs. */
export interface MonitoringBill {
  /** Metrics that have a value all month, in which nothing fails. */
  readonly steadyMetricCount: number;
  /** If every metric had a value all month. */
  readonly metricCount: number;
  /** Metrics that alarms read: an alarm on an expression is billed for each. */
  readonly alarmCount: number;
  readonly dashboardCount: number;
}

/** Counts alarms and dashboards in the template, and metrics by their definitions. */
export function billMonitoring(
  resources: readonly BilledResource[],
  monitoring: Monitoring,
  values: MetricValues,
): MonitoringBill {
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const definitions: MetricDefinition[] = Object.values({ ...METRICS, ...WEBHOOK_METRICS });
  const written = definitions.filter((metric) => isWritten(metric, monitoring));
  const count = (metrics: readonly MetricDefinition[]) =>
    metrics.reduce((sum, metric) => sum + billedCount(metric, values), 0);
  return {
    steadyMetricCount: count(written.filter(({ isSteady = false }) => isSteady)),
    metricCount: count(written),
    alarmCount: ofType('AWS::CloudWatch::Alarm').flatMap(metricsOfAlarm).length,
    dashboardCount: ofType('AWS::CloudWatch::Dashboard').length,
  };
}

function metricsOfAlarm({ Properties }: BilledResource): readonly unknown[] {
  const { Metrics } = (Properties ?? {}) as { readonly Metrics?: readonly object[] };
  return Metrics?.filter((metric) => 'MetricStat' in metric) ?? [{}];
}

/** A month of a number of metrics, with alarms and dashboards, without the free tier. */
export function monitoringUsd(
  { alarmCount, dashboardCount, steadyMetricCount }: MonitoringBill,
  metricCount = steadyMetricCount,
): number {
  const { metricMonth, alarmMonth, dashboardMonth } = PRICES;
  return metricCount * metricMonth + alarmCount * alarmMonth + dashboardCount * dashboardMonth;
}
