/** The construct for CDK apps of others. This is the package's `sitecast/cdk`; its exports must stay. */
export { ChangeNotifier, type ChangeNotifierProps } from './change-notifier.ts';
export { ConfigInvalidError } from '../config/config-invalid-error.ts';
export type { MetricName, MetricReading } from './notifier-metrics.ts';
export type { NotifierConfig, SubscriberConfig } from './notifier-config.ts';
export type { WebhookResources } from './webhook-resources.ts';
