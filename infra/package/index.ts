/** The construct for CDK apps of others, `sitecast/cdk` of the package. Its exports must stay. */
export type { Metric as MetricName } from '../../functions/core/ports/metrics.ts';
export { ConfigInvalidError } from '../config/config-invalid-error.ts';
export { ChangeNotifier, type ChangeNotifierProps } from '../construct/change-notifier.ts';
export type { NotifierConfig, SubscriberConfig } from '../construct/notifier-config.ts';
export type { MetricReading, WebhookResources } from '../construct/public-types.ts';
