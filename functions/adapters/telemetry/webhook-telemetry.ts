import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { isWritten, type Monitoring } from '../../core/ports/metrics.ts';
import { WEBHOOK_METRICS, type WebhookMetric } from '../../deliver/metrics.ts';
import type { WebhookTelemetry } from '../../deliver/ports.ts';
import { redact, redactFields, redactText, type Fields } from '../shared/redact.ts';
import type { InvocationContext } from './powertools-telemetry.ts';
import { ValueSample } from './value-sample.ts';

/** Logs and metrics of a webhook's function, as `PowertoolsTelemetry` writes those of the poller. */
export class PowertoolsWebhookTelemetry implements WebhookTelemetry {
  readonly #logger = new Logger();
  readonly #metrics = new Metrics();
  readonly #ages = new ValueSample();
  readonly #counts = new Map<WebhookMetric, number>();
  #monitoring: Monitoring = 'full';
  #isStarted = false;

  /** Adds the request id to all later log entries, and the webhook's name to all metrics. */
  start(context: InvocationContext, webhook: string, monitoring: Monitoring): void {
    this.#monitoring = monitoring;
    this.#logger.addContext(context);
    if (this.#isStarted) return;
    // Every further time it would log a warning.
    this.#metrics.setDefaultDimensions({ Webhook: webhook });
    this.#isStarted = true;
  }

  count(metric: WebhookMetric, amount: number): void {
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + amount);
  }

  observe(_metric: 'WebhookDeliverySeconds', value: number): void {
    this.#ages.add(value);
  }

  info(message: string, fields: Fields = {}): void {
    this.#logger.info(redactText(message), redactFields(fields));
  }

  warn(message: string, fields: Fields = {}): void {
    this.#logger.warn(redactText(message), redactFields(fields));
  }

  error(message: string, error: unknown): void {
    this.#logger.error(redactText(message), { error: redact(error) });
  }

  /** Writes the invocation's metrics as one entry. */
  flush(): void {
    for (const [metric, amount] of this.#counts) {
      const isGauge = metric === 'WebhookDisabled' || metric === 'WebhookOldestSeconds';
      if (amount === 0 && !isGauge) continue;
      this.#add(metric, amount);
    }
    this.#counts.clear();
    for (const age of this.#ages.take()) {
      this.#add('WebhookDeliverySeconds', age);
    }
    if (this.#metrics.hasStoredMetrics()) this.#metrics.publishStoredMetrics();
  }

  #add(metric: WebhookMetric, value: number): void {
    const definition = WEBHOOK_METRICS[metric];
    if (!isWritten(definition, this.#monitoring)) return;
    this.#metrics.addMetric(metric, definition.unit, value);
  }
}
