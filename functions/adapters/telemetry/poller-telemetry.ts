import {
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
    const { by, unit } = METRICS[metric] as MetricDefinition;
    if (by !== 'shard' || this.#shard === undefined || this.monitoring === 'off') return;
    const ofShard = this.metrics.singleMetric();
    ofShard.addDimension('shard', String(this.#shard));
    ofShard.addMetric(metric, unit, 1);
  }
}
