import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { idOf, textOf, type AlarmRow } from './alarm-row.ts';
import { makeAlarmTopic } from './alarm-topic.ts';
import { alarmRows } from './alarms.ts';
import { makeDashboard, type DashboardProps } from './dashboard.ts';

export type MonitoringProps = Omit<DashboardProps, 'alarms'>;

/** Alarms that are sent to a topic and, with `monitoring` full, a dashboard. */
export class Monitoring extends Construct {
  readonly alarmTopic: ITopic;
  readonly alarms: readonly Alarm[];
  readonly #props: MonitoringProps;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#props = props;
    this.alarmTopic = makeAlarmTopic(this, props.config);
    const isFull = props.config.monitoring === 'full';
    this.alarms = alarmRows(props)
      .filter(({ level }) => level === 'basic' || isFull)
      .map((row) => this.#makeAlarm(row));
    if (isFull) makeDashboard(this, { ...props, alarms: this.alarms });
  }

  #makeAlarm(row: AlarmRow): Alarm {
    const { name, metric, threshold, periodCount, isOnMissing } = row;
    const { enabled, runbookUrl = 'docs/runbook.md' } = this.#props.config;
    const alarm = new Alarm(this, idOf(row), {
      alarmDescription: `${textOf(row)} What to do: ${runbookUrl}#${anchorOf(name)}`,
      metric,
      threshold,
      evaluationPeriods: periodCount,
      comparisonOperator: isOnMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // A stage that was switched off is to be silent.
      actionsEnabled: enabled || !isOnMissing,
      treatMissingData: isOnMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(this.alarmTopic);
    alarm.addAlarmAction(action);
    // An OK action also fires when an alarm is created: from insufficient data to OK. The alarm on
    // missing values goes to ALARM first. Its end says that runs complete again; that of another
    // mostly says that a period has passed.
    if (isOnMissing) alarm.addOkAction(action);
    return alarm;
  }
}

/** The anchor that GitHub makes of the heading: `NoRunCompleted` is "No run completed". */
function anchorOf(name: string): string {
  return name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
