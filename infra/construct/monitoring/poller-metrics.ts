import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats, type Unit } from 'aws-cdk-lib/aws-cloudwatch';

/** Namespace of the metrics that the functions write. */
export const METRICS_NAMESPACE = 'Sitecast';

/** How a metric is read. */
interface Reading {
  readonly period: Duration;
  /** Default: the sum. */
  readonly statistic?: string;
  readonly label?: string;
  readonly unit?: Unit;
}

/** The metrics that the functions of a stage write. */
export class PollerMetrics {
  readonly #service: string;

  /** @param service the dimension `service`. */
  constructor(service: string) {
    this.#service = service;
  }

  /** The runs that a shard has completed. With one shard there is one metric. */
  runsCompleted(shard: number, shardCount: number, period: Duration): Metric {
    const metric = this.metric('RunsCompleted', { period });
    if (shardCount === 1) return metric;
    return metric.with({ dimensionsMap: { service: this.#service, shard: String(shard) } });
  }

  /** A metric of one webhook. */
  ofWebhook(webhook: string, name: string, reading: Reading): Metric {
    const dimensionsMap = { service: this.#service, Webhook: webhook };
    return this.metric(name, reading).with({ dimensionsMap });
  }

  /** @param name see `functions/core/ports/metrics.ts`. */
  metric(name: string, { statistic = Stats.SUM, ...reading }: Reading): Metric {
    return new Metric({
      namespace: METRICS_NAMESPACE,
      metricName: name,
      dimensionsMap: { service: this.#service },
      statistic,
      ...reading,
    });
  }
}
