import type { MetricDefinition } from '../core/ports/metrics.ts';

/**
 * The metrics of webhooks, with the dimensions `service` and `Webhook`, the webhook's name. Those
 * in seconds but `WebhookDeliverySeconds` are gauges of an invocation.
 */
export const WEBHOOK_METRICS = {
  /** POSTs, and attempts that failed before one. */
  WebhookAttempts: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Events that were given up, now in the dead-letter queue. */
  WebhookDeadLettered: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  WebhookDelivered: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Age of the change when its event was delivered, for each event; only of events from polls. */
  WebhookDeliverySeconds: { unit: 'Seconds', monitoring: 'full', by: 'webhook' },
  /** 1 while the webhook is disabled and messages arrive, else 0. */
  WebhookDisabled: { unit: 'Count', monitoring: 'basic', by: 'webhook' },
  /** Attempts that failed. */
  WebhookFailures: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Age in the queue of the invocation's oldest event that is still undelivered; 0 without one. */
  WebhookOldestSeconds: { unit: 'Seconds', monitoring: 'basic', by: 'webhook' },
  /** Failed writes of the attempts, or of the webhook's state. No delivery depends on them. */
  WebhookUnrecorded: { unit: 'Count', monitoring: 'full', by: 'webhook' },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type WebhookMetric = keyof typeof WEBHOOK_METRICS;
