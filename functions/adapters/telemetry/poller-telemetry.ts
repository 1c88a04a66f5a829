import {
  ERROR_DIMENSIONS,
  METRICS,
  type Metric,
  type MetricDefinition,
  type Monitoring,
} from '../../core/ports/metrics.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import { PowertoolsTelemetry, type InvocationContext } from './powertools-telemetry.ts';

/** Logs and metrics of the poller. */
export class PollerTelemetry extends PowertoolsTelemetry<Metric> implements Telemetry {
  #shard: number | undefined;

  constructor() {
    super(METRICS);
  }

  setMonitoring(monitoring: Monitoring): void {
    this.monitoring = monitoring;
  }

  /** Names the shard in the log, and in a second metric of completed runs. For one of several. */
  setShard(shard: number): void {
    this.logger.appendKeys({ shard });
    this.#shard = shard;
  }

  /** Adds the request id and the function's name to all later log entries. */
  startRun(context: InvocationContext): void {
    this.logger.addContext(context);
  }

  /** Counts a run: the sum of all would hide a shard that has completed none. */
  override count(metric: Metric, amount: number): void {
    super.count(metric, amount);
    const { by } = METRICS[metric] as MetricDefinition;
    if (by !== 'shard' || this.#shard === undefined) return;
    this.#countWith('shard', String(this.#shard), metric);
  }

  /** Counts a failed run by the kind of its error. Of several errors the first counts. */
  countFailedRun(error: unknown): void {
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
    const name = first instanceof Error ? first.name : '';
    const dimension = ERROR_DIMENSIONS.find((known) => known === name) ?? 'Other';
    if (this.monitoring === 'full') this.#countWith('error', dimension, 'FailedRuns');
  }

  /** Writes one of a metric in an entry of its own, with a dimension more. */
  #countWith(dimension: 'shard' | 'error', value: string, metric: Metric): void {
    if (this.monitoring === 'off') return;
    const single = this.metrics.singleMetric();
    single.addDimension(dimension, value);
    single.addMetric(metric, METRICS[metric].unit, 1);
  }
}
