import type {
  LargeEvents,
  SigningSecrets,
  WebhookEndpoint,
  WebhookMapping,
  WebhookQueue,
  WebhookStore,
  WebhookTelemetry,
} from './ports.ts';

/** What the deliveries of a webhook need. */
export interface DeliverContext {
  readonly webhook: { readonly name: string };
  readonly store: WebhookStore;
  readonly queue: WebhookQueue;
  readonly endpoint: WebhookEndpoint;
  readonly secrets: SigningSecrets;
  readonly largeEvents: LargeEvents;
  readonly mapping: WebhookMapping;
  readonly telemetry: WebhookTelemetry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
