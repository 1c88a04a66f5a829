import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ProtocolError } from '../../core/model/errors.ts';
import type { Metric, Telemetry } from '../../core/ports/telemetry.ts';
import { redact, redactFields, redactText, type Fields } from '../shared/redact.ts';

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

  /** Adds the request id and the function's name to all later log entries. */
  startRun(context: InvocationContext): void {
    this.#logger.addContext(context);
  }

  /** Adds to a metric. Zero adds nothing, and a metric that stays at zero is not written. */
  count(metric: Metric, amount: number): void {
    if (amount !== 0) this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + amount);
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
    if (this.#counts.size === 0) return;
    for (const [metric, amount] of this.#counts) {
      const unit = metric.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Count;
      this.#metrics.addMetric(metric, unit, amount);
    }
    this.#counts.clear();
    this.#metrics.publishStoredMetrics();
  }
}
