import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { BusPipe } from '../subscribers/bus-pipe.ts';
import type { Subscribers } from '../subscribers/subscribers.ts';
import type { Webhook } from '../subscribers/webhook.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import type { PollerMetrics } from './poller-metrics.ts';

const FIVE_MINUTES = Duration.minutes(5);
const HOUR = Duration.hours(1);
/** Longer than the time between most attempts, or the alarm would end and begin with each. */
const SIX_HOURS = Duration.hours(6);
const QUARTER_OF_AN_HOUR = Duration.minutes(15);

export interface DeliveryAlarmsProps {
  readonly metrics: PollerMetrics;
  readonly subscribers: Pick<Subscribers, 'webhooks' | 'pipes'>;
}

/** Alarms on what delivers to webhooks and buses, besides those on their dead letters. */
export function deliveryAlarms({ metrics, subscribers }: DeliveryAlarmsProps): AlarmDefinition[] {
  const { webhooks, pipes } = subscribers;
  return [
    ...webhooks.flatMap((webhook) => webhookAlarms(webhook, metrics)),
    ...[...pipes].map(([name, pipe]) => busAlarm(name, pipe)),
  ];
}

function webhookAlarms(webhook: Webhook, metrics: PollerMetrics): AlarmDefinition[] {
  const { name, ownQueue } = webhook;
  const read = (metric: string, period: Duration, statistic?: string): Metric =>
    metrics.ofWebhook(name, metric, { period, ...(statistic !== undefined && { statistic }) });
  return [
    {
      id: `WebhookDisabled-${name}`,
      isEssential: true,
      description: `The webhook ${name} is disabled, and its events wait.`,
      metric: read('WebhookDisabled', FIVE_MINUTES),
      threshold: 1,
    },
    {
      id: `WebhookDelayed-${name}`,
      isEssential: true,
      description: `The webhook ${name} has not taken an event for an hour.`,
      // SQS does not count the age of what was received more than three times, and the function that of what it
      // does not receive.
      metric: new MathExpression({
        expression: 'MAX([FILL(tried, 0), FILL(waiting, 0)])',
        usingMetrics: {
          tried: read('WebhookOldestSeconds', SIX_HOURS, Stats.MAXIMUM),
          waiting: ownQueue.queue.metricApproximateAgeOfOldestMessage({ period: SIX_HOURS }),
        },
        period: SIX_HOURS,
      }),
      threshold: HOUR.toSeconds(),
    },
    {
      id: `WebhookErrors-${name}`,
      isEssential: true,
      description: `The function of the webhook ${name} has ended with errors, was killed, or was throttled, for an hour.`,
      // A function that is killed or does not start counts nothing itself.
      metric: new MathExpression({
        expression: 'FILL(errors, 0) + FILL(throttles, 0)',
        usingMetrics: {
          errors: webhook.function.metricErrors({ period: QUARTER_OF_AN_HOUR }),
          throttles: webhook.function.metricThrottles({ period: QUARTER_OF_AN_HOUR }),
        },
        period: QUARTER_OF_AN_HOUR,
      }),
      threshold: 1,
      periodCount: 4,
    },
    {
      id: `WebhookFailing-${name}`,
      isEssential: false,
      description: `Every attempt to deliver to the webhook ${name} has failed for an hour.`,
      metric: new MathExpression({
        expression: 'IF(FILL(failed, 0) > 0 AND FILL(delivered, 0) == 0, 1, 0)',
        usingMetrics: {
          failed: read('WebhookFailures', HOUR),
          delivered: read('WebhookDelivered', HOUR),
        },
        period: HOUR,
      }),
      threshold: 1,
    },
  ];
}

function busAlarm(name: string, pipe: BusPipe): AlarmDefinition {
  const period = FIVE_MINUTES;
  return {
    id: `BusDelayed-${name}`,
    isEssential: true,
    description: `The bus of ${name} has not taken an event for a quarter of an hour.`,
    // SQS does not count the age of what was received more than three times: the pipe tells of what the bus refuses.
    metric: new MathExpression({
      expression: `IF(FILL(waiting, 0) >= ${period.toSeconds()} OR FILL(refused, 0) > 0, 1, 0)`,
      usingMetrics: {
        waiting: pipe.ownQueue.queue.metricApproximateAgeOfOldestMessage({ period }),
        refused: new Metric({
          namespace: 'AWS/EventBridge/Pipes',
          metricName: 'ExecutionFailed',
          dimensionsMap: { PipeName: pipe.name },
          statistic: Stats.SUM,
          period,
        }),
      },
      period,
    }),
    threshold: 1,
    periodCount: 3,
  };
}
