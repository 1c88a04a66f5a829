import type { Monitoring } from '../../core/ports/metrics.ts';
import { WEBHOOK_METRICS, type WebhookMetric } from '../../deliver/metrics.ts';
import type { WebhookTelemetry } from '../../deliver/ports.ts';
import { PowertoolsTelemetry, type InvocationContext } from './powertools-telemetry.ts';

/** Logs and metrics of a webhook's function. */
export class PowertoolsWebhookTelemetry
  extends PowertoolsTelemetry<WebhookMetric>
  implements WebhookTelemetry
{
  #isStarted = false;

  constructor() {
    super(WEBHOOK_METRICS, ['WebhookDisabled', 'WebhookOldestSeconds']);
  }

  /** Adds the request id to all later log entries, and the webhook's name to all metrics. */
  start(context: InvocationContext, webhook: string, monitoring: Monitoring): void {
    this.monitoring = monitoring;
    this.logger.addContext(context);
    // Every further time it would log a warning.
    if (!this.#isStarted) this.metrics.setDefaultDimensions({ Webhook: webhook });
    this.#isStarted = true;
  }
}
