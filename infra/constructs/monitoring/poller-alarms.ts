import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { RESERVE_SECONDS, type StageConfig } from '../../config/config.ts';
import type { AlarmDefinition, AlarmPeriods } from './alarm-definition.ts';
import type { PollerMetrics } from './poller-metrics.ts';

const HOUR = Duration.hours(1);
/** A failing list is polled at least once an hour, so a repeated failure shows within this time. */
const THREE_HOURS = Duration.hours(3);
/** A page that cannot be published is tried at least every ten minutes. */
const HALF_AN_HOUR = 30;
/** Longer than what heals by itself in the night. */
const LONG_FAILURE_HOURS = 6;
const MAX_MEMORY_PERCENT = 85;

interface PollerAlarmsProps {
  readonly metrics: PollerMetrics;
  readonly function: IFunction;
  readonly config: Pick<StageConfig, 'everyMinutes' | 'timeoutSeconds'>;
  readonly periods: AlarmPeriods;
}

/** Alarms on what the poller says of its runs. */
export function pollerAlarms(props: PollerAlarmsProps): AlarmDefinition[] {
  return [...essentialAlarms(props), ...runAlarms(props), ...listAlarms(props)];
}

function essentialAlarms({ metrics, config, periods }: PollerAlarmsProps): AlarmDefinition[] {
  const { everyMinutes } = config;
  const { short: period, long } = periods;
  const common = { isEssential: true, threshold: 1 };
  return [
    {
      ...common,
      id: 'NoRunCompleted',
      description: 'No run of the poller has completed lately, so no changes are published.',
      metric: metrics.metric('RunsCompleted', {
        period: Duration.minutes(Math.max(5, 3 * everyMinutes)),
      }),
      isOnMissing: true,
    },
    {
      ...common,
      id: 'TokenMissing',
      description: 'The secret holds no refresh token yet, so nothing is polled.',
      metric: metrics.metric('TokenMissing', { period }),
    },
    {
      ...common,
      id: 'TokenRefused',
      description: 'The service refuses the refresh token, so nothing is polled.',
      metric: metrics.metric('TokenRefused', { period }),
    },
    {
      ...common,
      id: 'PublishFailing',
      description: 'The topic, or the bucket of large events, repeatedly does not accept events.',
      metric: metrics.metric('PublishFailures', {
        period: Duration.minutes(Math.max(HALF_AN_HOUR, 4 * everyMinutes)),
      }),
      threshold: 2,
    },
    {
      ...common,
      id: 'SaturatedTimestamp',
      description:
        'More entities share a timestamp than a page can hold, and some may stay unseen.',
      metric: metrics.metric('SaturatedTimestamp', { period: HOUR }),
    },
    {
      ...common,
      id: 'MaxWaitExceeded',
      description: 'Lists wait longer than maxWaitSeconds between two polls, so events are late.',
      metric: metrics.metric('MaxWaitExceeded', { period: long }),
      threshold: 3,
    },
    {
      ...common,
      id: 'ListFailing',
      description: `A list, or the whole service, has been failing for ${LONG_FAILURE_HOURS} hours.`,
      metric: metrics.metric('OldestFailureSeconds', { period, statistic: Stats.MAXIMUM }),
      threshold: LONG_FAILURE_HOURS * 3600,
    },
  ];
}

/** Alarms on the runs themselves. */
function runAlarms(props: PollerAlarmsProps): AlarmDefinition[] {
  const { metrics, config, periods } = props;
  const { short, long } = periods;
  const common = { isEssential: false, threshold: 1 };
  const of = props.function;
  return [
    {
      ...common,
      id: 'RunErrors',
      description: 'Runs of the poller end with an error or are killed.',
      metric: of.metricErrors({ period: long }),
      threshold: 2,
    },
    {
      ...common,
      id: 'RunsNearTimeLimit',
      description: 'Runs use most of the time that is kept to finish their pages.',
      metric: of.metricDuration({ period: short, statistic: Stats.MAXIMUM }),
      threshold: (config.timeoutSeconds - RESERVE_SECONDS / 2) * 1000,
      periodCount: 3,
    },
    {
      ...common,
      id: 'MemoryHigh',
      description: `The poller uses more than ${MAX_MEMORY_PERCENT} % of its memory.`,
      metric: metrics.metric('PeakMemoryPercent', { period: short, statistic: Stats.MAXIMUM }),
      threshold: MAX_MEMORY_PERCENT + 1,
      periodCount: 3,
    },
    {
      ...common,
      id: 'LeaseHeld',
      description: 'Runs repeatedly find the lease held by another run, and do nothing.',
      metric: metrics.metric('LeaseHeld', { period: long }),
      threshold: 3,
    },
    {
      ...common,
      id: 'AsyncEventsDropped',
      description: 'Lambda drops ticks that it could not run, or whose run failed.',
      metric: of.metric('AsyncEventsDropped', { period: long, statistic: Stats.SUM }),
      threshold: 3,
    },
  ];
}

/** Alarms on what the service shows. */
function listAlarms({ metrics, periods }: PollerAlarmsProps): AlarmDefinition[] {
  const { short } = periods;
  const common = { isEssential: false, threshold: 1 };
  return [
    {
      ...common,
      id: 'ServiceOutage',
      description: 'The whole service has been failing for half an hour or longer.',
      metric: metrics.metric('ServiceOutage', { period: short }),
      periodCount: 6,
    },
    {
      ...common,
      id: 'ProtocolErrors',
      description: 'Answers of the service repeatedly break the pagination rules.',
      metric: metrics.metric('ProtocolErrors', { period: THREE_HOURS }),
      threshold: 2,
    },
    {
      ...common,
      id: 'CursorAhead',
      description:
        'The cursor of a list lies ahead of now, and changes dated before it stay unseen.',
      metric: metrics.metric('CursorAhead', { period: HOUR }),
    },
  ];
}
