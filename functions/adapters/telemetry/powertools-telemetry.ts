import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { ProtocolError } from '../../core/model/errors.ts';
import { isWritten, METRICS, type Metric, type Monitoring } from '../../core/ports/metrics.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import { redact, redactFields, redactText, type Fields } from '../shared/redact.ts';
import { errorDimension } from './error-dimension.ts';
import { ValueSample } from './value-sample.ts';

/** Fields of an invocation that the log names. */
export type InvocationContext = Parameters<Logger['addContext']>[0];

/**
 * Structured logs, and metrics in the embedded metric format, both on standard output.
 *
 * Service name, metrics namespace and log level come from the `POWERTOOLS_*` environment. All output is
 * redacted, see {@link redact}.
 */
export class PowertoolsTelemetry implements Telemetry {
  readonly #logger = new Logger();
  readonly #metrics = new Metrics();
  readonly #counts = new Map<Metric, number>();
  readonly #lag = new ValueSample();
  #monitoring: Monitoring = 'off';
  #shard: number | undefined;

  /** Says which metrics are written: none before this was called. */
  setMonitoring(monitoring: Monitoring): void {
    this.#monitoring = monitoring;
  }

  /** Names the shard in the log, and in a second metric of completed runs. For one of several. */
  setShard(shard: number): void {
    this.#logger.appendKeys({ shard });
    this.#shard = shard;
  }

  /** Adds the request id and the function's name to all later log entries. */
  startRun(context: InvocationContext): void {
    this.#logger.addContext(context);
  }

  /** Adds to a metric. Zero adds nothing, and a metric that stays at zero is not written. */
  count(metric: Metric, amount: number): void {
    if (amount !== 0) this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + amount);
  }

  observe(_metric: 'EventLagSeconds', value: number): void {
    this.#lag.add(value);
  }

  /** Counts a failed run by the kind of its error, in an entry of its own. */
  countFailedRun(error: unknown): void {
    if (!isWritten(METRICS.FailedRuns, this.#monitoring)) return;
    const single = this.#metrics.singleMetric();
    single.addDimension('error', errorDimension(error));
    single.addMetric('FailedRuns', METRICS.FailedRuns.unit, 1);
  }

  info(message: string, fields: Fields = {}): void {
    this.#logger.info(redactText(message), redactFields(fields));
  }

  warn(message: string, fields: Fields = {}): void {
    this.#logger.warn(redactText(message), redactFields(fields));
  }

  error(message: string, error: unknown, fields: Fields = {}): void {
    this.#logger.error(redactText(message), { ...redactFields(fields), error: redact(error) });
    if (!(error instanceof ProtocolError) || error.excerpt === undefined) return;
    this.#logger.debug('The answer starts with', { excerpt: redactText(error.excerpt) });
  }

  /** Writes the run's metrics as one entry. Call it once at the end of every run, failed or not. */
  flush(): void {
    this.#countRunOfShard();
    const values = new Map<Metric, readonly number[]>([['EventLagSeconds', this.#lag.take()]]);
    for (const [metric, amount] of this.#counts) values.set(metric, [amount]);
    this.#counts.clear();
    for (const [metric, amounts] of values) {
      if (!isWritten(METRICS[metric], this.#monitoring)) continue;
      // Powertools makes an array of values that are added one by one.
      for (const amount of amounts) this.#metrics.addMetric(metric, METRICS[metric].unit, amount);
    }
    if (this.#metrics.hasStoredMetrics()) this.#metrics.publishStoredMetrics();
  }

  /** Tells which shard has completed its run: the sum of all would hide one that has not. */
  #countRunOfShard(): void {
    const hasCompleted = this.#counts.has('RunsCompleted');
    if (this.#shard === undefined || !hasCompleted || this.#monitoring === 'off') return;
    const single = this.#metrics.singleMetric();
    single.addDimension('shard', String(this.#shard));
    single.addMetric('RunsCompleted', METRICS.RunsCompleted.unit, 1);
  }
}
