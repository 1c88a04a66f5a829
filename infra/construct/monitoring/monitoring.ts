import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { idOf, textOf, type AlarmRow } from './alarm-row.ts';
import { makeAlarmTopic } from './alarm-topic.ts';
import { alarmRows, subscriberAlarms } from './alarms.ts';
import { NotifierDashboard, type DashboardProps } from './dashboard.ts';

export type MonitoringProps = Omit<DashboardProps, 'alarms'>;

/** Alarms that are sent to a topic and, with `monitoring` full, a dashboard. */
export class Monitoring extends Construct {
  /** Where the alarms are sent. */
  readonly alarmTopic: ITopic;
  readonly #alarms: Alarm[];
  readonly #props: MonitoringProps;
  readonly #dashboard?: NotifierDashboard;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#props = props;
    this.alarmTopic = makeAlarmTopic(this, props.config);
    this.#alarms = this.#makeAlarms(alarmRows(props));
    if (props.config.monitoring !== 'full') return;
    this.#dashboard = new NotifierDashboard(this, { ...props, alarms: this.#alarms });
  }

  get alarms(): readonly Alarm[] {
    return this.#alarms;
  }

  /** Takes up a subscriber that was added later, as if it had been there from the start. */
  addSubscriber(name: string, deadLetters: IQueue): void {
    const { webhooks, pipes } = this.#props.subscribers;
    const rows = subscriberAlarms(this.#props);
    this.#alarms.push(
      ...this.#makeAlarms(rows.filter((row) => this.node.tryFindChild(idOf(row)) === undefined)),
    );
    this.#dashboard?.addDeadLetters(name, deadLetters);
    const isAdded = ([each]: readonly [string, unknown]): boolean => each === name;
    this.#dashboard?.addDeliveries({
      webhooks: new Map([...webhooks].filter(isAdded)),
      pipes: new Map([...pipes].filter(isAdded)),
    });
  }

  #makeAlarms(rows: readonly AlarmRow[]): Alarm[] {
    const isFull = this.#props.config.monitoring === 'full';
    return rows
      .filter(({ level }) => level === 'basic' || isFull)
      .map((row) => this.#makeAlarm(row));
  }

  #makeAlarm(row: AlarmRow): Alarm {
    const { name, metric, threshold, periodCount, isOnMissing } = row;
    const { enabled, runbookUrl = 'docs/operations.md' } = this.#props.config;
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
