import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { isWritten, type MetricDefinition, type Monitoring } from '../../core/ports/metrics.ts';
import { redact, redactFields, redactText, type Fields } from '../shared/redact.ts';

/** Fields of an invocation that the log names. */
export type InvocationContext = Parameters<Logger['addContext']>[0];

/**
 * Structured logs, and metrics in the embedded metric format, both on standard output.
 *
 * Service name, metrics namespace and log level come from the `POWERTOOLS_*` environment. All
 * output is redacted, see {@link redact}.
 */
export class PowertoolsTelemetry<Name extends string> {
  protected readonly logger = new Logger();
  protected readonly metrics = new Metrics();
  /** No metrics are written until it is set. */
  protected monitoring: Monitoring = 'off';
  readonly #definitions: Readonly<Record<Name, MetricDefinition>>;
  readonly #gauges: ReadonlySet<Name>;
  readonly #counts = new Map<Name, number>();

  /** @param gauges metrics that are written when they are zero, too. */
  constructor(definitions: Readonly<Record<Name, MetricDefinition>>, gauges: readonly Name[] = []) {
    this.#definitions = definitions;
    this.#gauges = new Set(gauges);
  }

  /** Adds to a metric. One that stays at zero is not written, unless it is a gauge. */
  count(metric: Name, amount: number): void {
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + amount);
  }

  /** Adds a value of a metric that has many. Powertools ends the entry with every hundredth. */
  observe(metric: Name, value: number): void {
    const definition = this.#definitions[metric];
    if (!isWritten(definition, this.monitoring)) return;
    this.metrics.addMetric(metric, definition.unit, value);
  }

  info(message: string, fields: Fields = {}): void {
    this.logger.info(redactText(message), redactFields(fields));
  }

  warn(message: string, fields: Fields = {}): void {
    this.logger.warn(redactText(message), redactFields(fields));
  }

  error(message: string, error: unknown, fields: Fields = {}): void {
    this.logger.error(redactText(message), { ...redactFields(fields), error: redact(error) });
  }

  /** Writes the metrics of an invocation. Call it once at its end, failed or not. */
  flush(): void {
    for (const [metric, amount] of this.#counts) {
      if (amount !== 0 || this.#gauges.has(metric)) this.observe(metric, amount);
    }
    this.#counts.clear();
    if (this.metrics.hasStoredMetrics()) this.metrics.publishStoredMetrics();
  }
}
