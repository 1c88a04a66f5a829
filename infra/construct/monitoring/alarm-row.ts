import type { Duration } from 'aws-cdk-lib';
import { MathExpression, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** The text of each alarm, by its id; `{}` stands for a shard, or for a subscriber. */
export const ALARM_TEXTS = {
  NoRunCompleted: 'No run of the poller{} has completed lately, so no changes are published.',
  TokenMissing: 'The secret holds no refresh token yet, so nothing is polled.',
  TokenRefused: 'The service refuses the refresh token, so nothing is polled.',
  PublishFailing: 'The topic, or the bucket of large events, repeatedly does not accept events.',
  Quarantined:
    'An invalid entity, or an event that the topic refused, was put into the quarantine.',
  SaturatedTimestamp:
    'More entities changed within 2 ms than a page can hold, and some may be unseen.',
  ReconcileHealed: 'A reconcile published events that polling had missed.',
  ReconcileIncomplete: 'A reconcile could not judge some lists, or too much of them was missing.',
  MaxWaitExceeded: 'Lists wait longer than maxWaitSeconds between two polls, so events are late.',
  ListWaiting: 'A list waits: its polls, or all of the service, have been failing for 6 hours.',
  RunErrors: 'Runs of the poller{} end with an error or are killed.',
  RunsNearTimeLimit:
    'Runs of the poller{} use most of the time that is kept to finish their pages.',
  MemoryHigh: 'The poller uses more than 85 % of its memory.',
  LeaseHeld: 'Runs repeatedly find the lease held by another run, and do nothing.',
  ServiceOutage: 'No list could be read for half an hour or longer.',
  ProtocolErrors: 'Answers of the service repeatedly break the pagination rules.',
  DeliveryFailed: 'Events could not be delivered to a subscription, after all retries.',
  TableThrottled: 'The table throttles reads or writes, so runs are slow.',
  TicksDropped: 'The schedule could not start the poller.',
  ReconcileNotOrdered: 'The control function failed, maybe with an order to reconcile all lists.',
  WebhookDisabled: 'The webhook {} is disabled, and its events wait.',
  WebhookDelayed: 'The webhook {} has not taken an event for an hour.',
  WebhookErrors:
    'The function of the webhook {} has ended with errors, was killed, or was throttled, ' +
    'for an hour.',
  WebhookFailing: 'Every attempt to deliver to the webhook {} has failed for an hour.',
  BusDelayed: 'The bus of {} has not taken an event for a quarter of an hour.',
  DeadLetters: 'Events could not be delivered to the subscriber {}.',
  RedriveFailed: 'Undelivered events could not be put into a dead-letter queue, and are lost.',
} as const;

export type AlarmName = keyof typeof ALARM_TEXTS;

export interface AlarmRow {
  readonly name: AlarmName;
  /** The least `monitoring` that has it. */
  readonly level: 'basic' | 'full';
  readonly metric: IMetric;
  /** It is breached by this value and any above; an alarm on missing values, by any below. */
  readonly threshold: number;
  /** Periods in a row that have to be breached. */
  readonly periodCount: number;
  /** True for an alarm that something does not happen. */
  readonly isOnMissing: boolean;
  /** The shard, if there are several, or the name of the subscriber. */
  readonly about: string | undefined;
}

/** Fields that few alarms have. */
export type AlarmOptions = Partial<Pick<AlarmRow, 'periodCount' | 'isOnMissing' | 'about'>>;

const rowOf =
  (level: AlarmRow['level']) =>
  (name: AlarmName, metric: IMetric, threshold: number, options: AlarmOptions = {}): AlarmRow => {
    const { periodCount = 1, isOnMissing = false, about } = options;
    return { name, level, metric, threshold, periodCount, isOnMissing, about };
  };

export const basic = rowOf('basic');
export const full = rowOf('full');

/** The id of an alarm. Shard 0 has that of a stack with one shard. */
export function idOf({ name, about }: AlarmRow): string {
  return about === undefined || about === '0' ? name : `${name}-${about}`;
}

export function textOf({ name, about = '' }: AlarmRow): string {
  const part = /^\d+$/.test(about) ? ` of shard ${about}` : about;
  return ALARM_TEXTS[name].replace('{}', part);
}

/** The sum of metrics. CloudWatch does not add a value and a missing one. */
export function sumOf(period: Duration, usingMetrics: Record<string, IMetric>): MathExpression {
  const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return expression(period, terms.join(' + '), usingMetrics);
}

export function expression(
  period: Duration,
  text: string,
  usingMetrics: Record<string, IMetric>,
): MathExpression {
  return new MathExpression({ expression: text, usingMetrics, period });
}
