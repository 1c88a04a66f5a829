import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Metric as MetricName } from '../../../functions/core/ports/metrics.ts';
import type { WebhookMetric } from '../../../functions/deliver/metrics.ts';
import type { StageConfig } from '../../config/config.ts';
import { RESERVE_SECONDS } from '../../config/cross-checks.ts';
import type { Control } from '../control.ts';
import type { Parts } from '../make-function.ts';
import type { Poller } from '../poller.ts';
import type { BusPipe } from '../subscribers/bus-pipe.ts';
import type { Subscribers } from '../subscribers/subscribers.ts';
import type { Webhook } from '../subscribers/webhook.ts';
import { basic, expression, full, sumOf, type AlarmOptions, type AlarmRow } from './alarm-row.ts';
import type { Metrics } from './metrics.ts';

/** All parts of a notifier but its monitoring. */
export interface Watched extends Parts {
  readonly metrics: Metrics;
  readonly poller: Poller;
  readonly control: Control;
  readonly subscribers: Subscribers;
}

const HOUR = Duration.hours(1);
/** Longer than the time between most attempts, or the alarm would end and begin with each. */
const SIX_HOURS = Duration.hours(6);
const FIVE_MINUTES = Duration.minutes(5);
const QUARTER_OF_AN_HOUR = Duration.minutes(15);

export function alarmRows(watched: Watched): AlarmRow[] {
  return [...pollerAlarms(watched), ...awsAlarms(watched), ...subscriberAlarms(watched)];
}

function subscriberAlarms({ metrics, topic, subscribers }: Watched): AlarmRow[] {
  const { webhooks, pipes, deadLetters } = subscribers;
  const failed = topic.metric('NumberOfNotificationsFailedToRedriveToDlq', {
    period: FIVE_MINUTES,
    statistic: Stats.SUM,
  });
  return [
    ...[...webhooks.values()].flatMap((webhook) => webhookAlarms(webhook, metrics)),
    ...[...pipes].map(([name, pipe]) => busAlarm(name, pipe)),
    ...[...deadLetters].map(([about, queue]) => {
      const period = FIVE_MINUTES;
      const metric = queue.metricApproximateNumberOfMessagesVisible({ period });
      return basic('DeadLetters', metric, 1, { about });
    }),
    ...(deadLetters.size > 0 ? [basic('RedriveFailed', failed, 1)] : []),
  ];
}

function pollerAlarms({ metrics, config, poller }: Watched): AlarmRow[] {
  const { functions } = poller;
  const { short, long, atLeast } = periodsOf(config);
  const read = (name: MetricName, period: Duration) => metrics.read(name, { period });
  const completed = (shard: number) =>
    metrics.runsCompleted(shard, functions.length, { period: atLeast(5, 3) });
  return [
    ...functions.map((_, shard) =>
      basic('NoRunCompleted', completed(shard), 1, {
        isOnMissing: true,
        ...aboutShard(shard, functions),
      }),
    ),
    basic('TokenMissing', read('TokenMissing', short), 1),
    basic('TokenRefused', read('TokenRefused', short), 1),
    // A page that cannot be published is tried at least every five minutes.
    basic('PublishFailing', read('PublishFailures', atLeast(30, 4)), 2),
    basic('Quarantined', read('Quarantined', long), 1),
    basic('SaturatedTimestamp', read('SaturatedTimestamp', HOUR), 1),
    basic('ReconcileHealed', read('ReconcileHealed', HOUR), 1),
    basic('ReconcileIncomplete', read('ReconcileListsFailed', HOUR), 1),
    basic('MaxWaitExceeded', read('MaxWaitExceeded', long), 3),
    // Longer than a failure of a night that ends by itself.
    basic('ListWaiting', read('OldestFailureSeconds', short), SIX_HOURS.toSeconds()),
    ...functions.flatMap((of, shard) => functionAlarms(of, aboutShard(shard, functions), config)),
    full('MemoryHigh', read('PeakMemoryPercent', short), 86, { periodCount: 3 }),
    full('LeaseHeld', read('LeaseHeld', long), 3),
    full('ServiceOutage', read('ServiceOutage', short), 1, { periodCount: 6 }),
    // A waiting list is polled at least once an hour.
    full('ProtocolErrors', read('ProtocolErrors', Duration.hours(3)), 2),
  ];
}

function functionAlarms(of: IFunction, about: AlarmOptions, config: StageConfig): AlarmRow[] {
  const { short, long } = periodsOf(config);
  const nearLimit = (config.timeoutSeconds - RESERVE_SECONDS / 2) * 1000;
  const duration = of.metricDuration({ period: short, statistic: Stats.MAXIMUM });
  return [
    full('RunErrors', of.metricErrors({ period: long }), 2, about),
    full('RunsNearTimeLimit', duration, nearLimit, { ...about, periodCount: 3 }),
  ];
}

function awsAlarms({ config, poller, control, table, topic }: Watched): AlarmRow[] {
  const { long } = periodsOf(config);
  const throttles = (name: string) =>
    table.metric(name, { period: FIVE_MINUTES, statistic: Stats.SUM });
  const reconcile = control.schedules;
  return [
    // SNS's metrics are those of all subscriptions.
    full(
      'DeliveryFailed',
      topic.metricNumberOfNotificationsFailed({ period: QUARTER_OF_AN_HOUR }),
      1,
    ),
    full(
      'TableThrottled',
      sumOf(FIVE_MINUTES, {
        reads: throttles('ReadThrottleEvents'),
        writes: throttles('WriteThrottleEvents'),
      }),
      1,
      { periodCount: 3 },
    ),
    full('TicksDropped', sumOf(long, undeliveredBy(poller.schedules.group, long)), 3),
    ...(reconcile === undefined
      ? []
      : [
          // A failed order has no other sign.
          basic(
            'ReconcileNotOrdered',
            sumOf(HOUR, {
              failed: control.function.metricErrors({ period: HOUR }),
              ...undeliveredBy(reconcile.group, HOUR),
            }),
            1,
          ),
        ]),
  ];
}

function webhookAlarms(webhook: Webhook, metrics: Metrics): AlarmRow[] {
  const { name: about, queue, function: deliver } = webhook;
  const read = (name: WebhookMetric, period: Duration) =>
    metrics.read(name, { period }, { Webhook: about });
  // SQS does not count the age of what was received more than three times, and the function that
  // of what it does not receive.
  const age = expression(SIX_HOURS, 'MAX([FILL(tried, 0), FILL(waiting, 0)])', {
    tried: read('WebhookOldestSeconds', SIX_HOURS),
    waiting: queue.metricApproximateAgeOfOldestMessage({ period: SIX_HOURS }),
  });
  // A function that is killed or does not start counts nothing itself.
  const errors = sumOf(QUARTER_OF_AN_HOUR, {
    errors: deliver.metricErrors({ period: QUARTER_OF_AN_HOUR }),
    throttles: deliver.metricThrottles({ period: QUARTER_OF_AN_HOUR }),
  });
  const isFailing = 'IF(FILL(failed, 0) > 0 AND FILL(delivered, 0) == 0, 1, 0)';
  const failing = expression(HOUR, isFailing, {
    failed: read('WebhookFailures', HOUR),
    delivered: read('WebhookDelivered', HOUR),
  });
  return [
    basic('WebhookDisabled', read('WebhookDisabled', FIVE_MINUTES), 1, { about }),
    basic('WebhookDelayed', age, HOUR.toSeconds(), { about }),
    basic('WebhookErrors', errors, 1, { about, periodCount: 4 }),
    full('WebhookFailing', failing, 1, { about }),
  ];
}

function busAlarm(about: string, { name, ownQueue }: BusPipe): AlarmRow {
  const period = FIVE_MINUTES;
  // SQS does not count the age of what was received more than three times: the pipe counts what
  // the bus refuses.
  const isDelayed = 'IF(FILL(waiting, 0) >= 300 OR FILL(refused, 0) > 0, 1, 0)';
  const metric = expression(period, isDelayed, {
    waiting: ownQueue.queue.metricApproximateAgeOfOldestMessage({ period }),
    refused: new Metric({
      namespace: 'AWS/EventBridge/Pipes',
      metricName: 'ExecutionFailed',
      dimensionsMap: { PipeName: name },
      statistic: Stats.SUM,
      period,
    }),
  });
  return basic('BusDelayed', metric, 1, { about, periodCount: 3 });
}

/** One shard alone has no number. */
function aboutShard(shard: number, { length }: readonly IFunction[]): AlarmOptions {
  return length === 1 ? {} : { about: String(shard) };
}

function periodsOf({ everyMinutes }: StageConfig) {
  const atLeast = (minutes: number, runs: number) =>
    Duration.minutes(Math.max(minutes, runs * everyMinutes));
  // Two runs at least, and four: three of them make a pattern.
  return { short: atLeast(5, 2), long: atLeast(15, 4), atLeast };
}

/** The ticks that the schedules of a group could not deliver. */
function undeliveredBy(group: IScheduleGroup, period: Duration) {
  return {
    dropped: group.metricDropped({ period }),
    refused: group.metricTargetErrors({ period }),
  };
}
