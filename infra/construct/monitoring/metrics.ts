import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, type Metric as MetricName } from '../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS, type WebhookMetric } from '../../../functions/deliver/metrics.ts';
import type { MetricReading } from '../public-types.ts';

export const METRICS_NAMESPACE = 'Sitecast';

/** Counts that are reported once a run: their sum means nothing. */
const GAUGES: readonly string[] = ['FeedsWaiting'];

/** The metrics that the functions of a notifier write. */
export class Metrics {
  readonly #service: string;

  /** @param service the dimension `service`. */
  constructor(service: string) {
    this.#service = service;
  }

  /** Reads a metric: by default the sum of a count in five minutes, the maximum of all others. */
  read(
    name: MetricName | WebhookMetric,
    reading: MetricReading = {},
    dimensions: Readonly<Record<string, string>> = {},
  ): Metric {
    const { unit } = { ...METRICS, ...WEBHOOK_METRICS }[name];
    return new Metric({
      namespace: METRICS_NAMESPACE,
      metricName: name,
      dimensionsMap: { service: this.#service, ...dimensions },
      period: Duration.minutes(5),
      statistic: unit === 'Count' && !GAUGES.includes(name) ? Stats.SUM : Stats.MAXIMUM,
      ...reading,
    });
  }

  /** The runs that a shard has completed. With one shard there is one metric. */
  runsCompleted(shard: number, shardCount: number, reading: MetricReading): Metric {
    return this.read('RunsCompleted', reading, shardCount === 1 ? {} : { shard: String(shard) });
  }
}
