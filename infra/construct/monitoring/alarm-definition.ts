import type { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** An alarm, before it is made. */
export interface AlarmDefinition {
  /** Of the construct. Without a part behind `-`, in words, it is the heading of its runbook entry. */
  readonly id: string;
  /** Whether `monitoring` basic has it too. */
  readonly isEssential: boolean;
  /** What happens, in one sentence. */
  readonly description: string;
  readonly metric: IMetric;
  /** It is breached by this value and any above; an alarm on missing values, by any below. */
  readonly threshold: number;
  /** Periods in a row that have to be breached. Default: 1. */
  readonly periodCount?: number;
  /** True for an alarm that something does not happen. */
  readonly isOnMissing?: true;
}

/** Periods of alarms, which depend on the time between two runs. */
export interface AlarmPeriods {
  /** Has two runs at least. */
  readonly short: Duration;
  /** Has four runs at least: three of them make a pattern. */
  readonly long: Duration;
}
