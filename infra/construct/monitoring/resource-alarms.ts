import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Control } from '../control.ts';
import type { Subscribers } from '../subscribers/subscribers.ts';
import type { AlarmDefinition, AlarmPeriods } from './alarm-definition.ts';
import { deliveryAlarms, type DeliveryAlarmsProps } from './delivery-alarms.ts';

const FIVE_MINUTES = Duration.minutes(5);

export interface ResourceAlarmsProps extends DeliveryAlarmsProps {
  readonly table: ITable;
  readonly topic: ITopic;
  readonly subscribers: Pick<Subscribers, 'deadLetters' | 'webhooks' | 'pipes'>;
  readonly scheduleGroup: IScheduleGroup;
  readonly control: Pick<Control, 'function' | 'reconcileSchedule'>;
  readonly periods: AlarmPeriods;
}

/** Alarms on the resources around the poller, from the metrics that AWS keeps. */
export function resourceAlarms(props: ResourceAlarmsProps): AlarmDefinition[] {
  return [
    deliveryAlarm(props),
    ...otherAlarms(props),
    ...reconcileAlarms(props),
    ...subscriberAlarms(props),
  ];
}

/** Alarms on subscribers: the same, or more, when one is added. */
export function subscriberAlarms(props: ResourceAlarmsProps): AlarmDefinition[] {
  const { topic, subscribers } = props;
  const { deadLetters } = subscribers;
  return [
    ...deliveryAlarms(props),
    ...[...deadLetters].map(([name, queue]) => deadLetterAlarm(name, queue)),
    ...(deadLetters.size > 0 ? [redriveAlarm(topic)] : []),
  ];
}

/** An alarm on the dead-letter queue of a subscriber. */
function deadLetterAlarm(name: string, queue: IQueue): AlarmDefinition {
  return {
    isEssential: true,
    threshold: 1,
    id: `DeadLetters-${name}`,
    description: `Events could not be delivered to the subscriber ${name}.`,
    metric: messagesIn(queue),
  };
}

/** An alarm on all dead-letter queues of a topic. */
function redriveAlarm(topic: ITopic): AlarmDefinition {
  return {
    id: 'RedriveFailed',
    isEssential: true,
    description: 'Undelivered events could not be put into a dead-letter queue, and are lost.',
    metric: topic.metric('NumberOfNotificationsFailedToRedriveToDlq', {
      period: FIVE_MINUTES,
      statistic: Stats.SUM,
    }),
    threshold: 1,
  };
}

function messagesIn(queue: IQueue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES });
}

/** An alarm on all subscriptions of the topic together: its metrics do not tell them apart. */
function deliveryAlarm({ topic }: ResourceAlarmsProps): AlarmDefinition {
  return {
    id: 'DeliveryFailed',
    isEssential: false,
    description: 'Events could not be delivered to a subscription, after all retries.',
    metric: topic.metricNumberOfNotificationsFailed({ period: Duration.minutes(15) }),
    threshold: 1,
  };
}

function otherAlarms({ table, scheduleGroup, periods }: ResourceAlarmsProps): AlarmDefinition[] {
  const throttles = (metricName: string) =>
    table.metric(metricName, { period: FIVE_MINUTES, statistic: Stats.SUM });
  const period = periods.long;
  return [
    {
      id: 'TableThrottled',
      isEssential: false,
      description: 'The table throttles reads or writes, so runs are slow.',
      metric: new MathExpression({
        expression: 'FILL(reads, 0) + FILL(writes, 0)',
        usingMetrics: {
          reads: throttles('ReadThrottleEvents'),
          writes: throttles('WriteThrottleEvents'),
        },
        period: FIVE_MINUTES,
      }),
      threshold: 1,
      periodCount: 3,
    },
    {
      id: 'TicksDropped',
      isEssential: false,
      description: 'The schedule could not start the poller.',
      metric: sumOf(undeliveredBy(scheduleGroup, period), period),
      threshold: 3,
    },
  ];
}

/** An alarm on the schedule of reconciliations, if there is one: a failed order has no other sign. */
function reconcileAlarms({ control }: ResourceAlarmsProps): AlarmDefinition[] {
  if (control.reconcileSchedule === undefined) return [];
  const period = Duration.hours(1);
  const failed = control.function.metricErrors({ period });
  const undelivered = undeliveredBy(control.reconcileSchedule.group, period);
  return [
    {
      id: 'ReconcileNotOrdered',
      isEssential: true,
      description: 'The control function failed, maybe with an order to reconcile all lists.',
      metric: sumOf({ failed, ...undelivered }, period),
      threshold: 1,
    },
  ];
}

/** What the schedules of a group could not deliver to their functions. */
function undeliveredBy(group: IScheduleGroup, period: Duration) {
  return {
    dropped: group.metricDropped({ period }),
    refused: group.metricTargetErrors({ period }),
  };
}

function sumOf(usingMetrics: Record<string, IMetric>, period: Duration): MathExpression {
  const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, period });
}
