import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { StageConfig } from '../../config/config.ts';
import { RESERVE_SECONDS } from '../../config/cross-checks.ts';
import type { AlarmDefinition, AlarmPeriods } from './alarm-definition.ts';
import type { PollerMetrics } from './poller-metrics.ts';

const HOUR = Duration.hours(1);
/** A waiting list is polled at least once an hour, so a repeated failure shows within this time. */
const THREE_HOURS = Duration.hours(3);
/** A page that cannot be published is tried at least every five minutes. */
const HALF_AN_HOUR = 30;
/** Longer than what heals by itself in the night. */
const LONG_FAILURE_HOURS = 6;
const MAX_MEMORY_PERCENT = 85;

interface PollerAlarmsProps {
  readonly metrics: PollerMetrics;
  /** By shard. */
  readonly functions: readonly IFunction[];
  readonly config: Pick<StageConfig, 'everyMinutes' | 'timeoutSeconds'>;
  readonly periods: AlarmPeriods;
}

/** Alarms on what the pollers say of their runs. Those that one shard could hide from others are made for each. */
export function pollerAlarms(props: PollerAlarmsProps): AlarmDefinition[] {
  return [...essentialAlarms(props), ...runAlarms(props), ...listAlarms(props)];
}

function essentialAlarms(props: PollerAlarmsProps): AlarmDefinition[] {
  const { metrics, functions, config, periods } = props;
  const { everyMinutes } = config;
  const { short: period, long } = periods;
  const common = { isEssential: true, threshold: 1 };
  return [
    ...functions.map((_, shard) => ({
      ...common,
      id: idOf('NoRunCompleted', shard),
      description: `No run of the poller${partOf(shard, functions)} has completed lately, so no changes are published.`,
      metric: metrics.runsCompleted(
        shard,
        functions.length,
        Duration.minutes(Math.max(5, 3 * everyMinutes)),
      ),
      isOnMissing: true as const,
    })),
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
      id: 'Quarantined',
      description:
        'An invalid entity, or an event that the topic refused, was put into the quarantine.',
      metric: metrics.metric('Quarantined', { period: long }),
    },
    {
      ...common,
      id: 'SaturatedTimestamp',
      description:
        'More entities changed within 2 ms than a page can hold, and some may be unseen.',
      metric: metrics.metric('SaturatedTimestamp', { period: HOUR }),
    },
    {
      ...common,
      id: 'ReconcileHealed',
      description: 'A reconciliation published events that polling had missed.',
      metric: metrics.metric('ReconcileHealed', { period: HOUR }),
    },
    {
      ...common,
      id: 'ReconcileIncomplete',
      description: 'A reconciliation could not judge some lists, or too much of them was missing.',
      metric: metrics.metric('ReconcileListsFailed', { period: HOUR }),
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
      id: 'ListWaiting',
      description: `A list waits: its polls, or all of the service, have been failing for ${LONG_FAILURE_HOURS} hours.`,
      metric: metrics.metric('OldestFailureSeconds', { period, statistic: Stats.MAXIMUM }),
      threshold: LONG_FAILURE_HOURS * 3600,
    },
  ];
}

/** Alarms on the runs themselves. */
function runAlarms(props: PollerAlarmsProps): AlarmDefinition[] {
  const { metrics, functions, periods } = props;
  const { short, long } = periods;
  const common = { isEssential: false, threshold: 1 };
  return [
    ...functions.flatMap((_, shard) => functionAlarms(shard, props)),
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
  ];
}

/** Alarms on what Lambda says of one function. */
function functionAlarms(
  shard: number,
  { functions, config, periods }: PollerAlarmsProps,
): AlarmDefinition[] {
  const { short, long } = periods;
  const of = functions[shard];
  if (of === undefined) return [];
  const common = { isEssential: false };
  const part = partOf(shard, functions);
  return [
    {
      ...common,
      id: idOf('RunErrors', shard),
      description: `Runs of the poller${part} end with an error or are killed.`,
      metric: of.metricErrors({ period: long }),
      threshold: 2,
    },
    {
      ...common,
      id: idOf('RunsNearTimeLimit', shard),
      description: `Runs of the poller${part} use most of the time that is kept to finish their pages.`,
      metric: of.metricDuration({ period: short, statistic: Stats.MAXIMUM }),
      threshold: (config.timeoutSeconds - RESERVE_SECONDS / 2) * 1000,
      periodCount: 3,
    },
  ];
}

/** Shard 0 has the id of a stack with one shard. */
function idOf(name: string, shard: number): string {
  return shard === 0 ? name : `${name}-${shard}`;
}

function partOf(shard: number, { length }: readonly IFunction[]): string {
  return length === 1 ? '' : ` of shard ${shard}`;
}

/** Alarms on what the service shows. */
function listAlarms({ metrics, periods }: PollerAlarmsProps): AlarmDefinition[] {
  const { short } = periods;
  const common = { isEssential: false, threshold: 1 };
  return [
    {
      ...common,
      id: 'ServiceOutage',
      description: 'No list could be read for half an hour or longer.',
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
  ];
}
