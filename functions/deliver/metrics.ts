import type { MetricDefinition } from '../core/ports/metrics.ts';

/**
 * The metrics of webhooks, with the dimensions `service` and `Webhook`, the webhook's name. Those
 * in seconds but `WebhookDeliverySeconds` are gauges of an invocation.
 */
export const WEBHOOK_METRICS = {
  WebhookAttempts: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Events that became dead letters. */
  WebhookDeadLettered: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  WebhookDelivered: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Age of the change at its delivery, for each event of a poll. */
  WebhookDeliverySeconds: { unit: 'Seconds', monitoring: 'full', by: 'webhook' },
  /** 1 while the webhook is disabled and messages arrive. */
  WebhookDisabled: { unit: 'Count', monitoring: 'basic', by: 'webhook' },
  WebhookFailures: { unit: 'Count', monitoring: 'full', by: 'webhook' },
  /** Age of the oldest event that an invocation did not deliver, or 0. */
  WebhookOldestSeconds: { unit: 'Seconds', monitoring: 'basic', by: 'webhook' },
  /** Failed writes of attempts, or of the webhook's state. */
  WebhookUnrecorded: { unit: 'Count', monitoring: 'full', by: 'webhook' },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type WebhookMetric = keyof typeof WEBHOOK_METRICS;
