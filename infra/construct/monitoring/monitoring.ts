import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
  type CfnAlarm,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from '../../config/config.ts';
import type { Poller } from '../poller.ts';
import type { AlarmDefinition, AlarmPeriods } from './alarm-definition.ts';
import { makeAlarmTopic } from './alarm-topic.ts';
import { NotifierDashboard } from './dashboard.ts';
import { pollerAlarms } from './poller-alarms.ts';
import { PollerMetrics } from './poller-metrics.ts';
import { resourceAlarms, subscriberAlarms, type ResourceAlarmsProps } from './resource-alarms.ts';

export interface MonitoringProps extends Omit<
  ResourceAlarmsProps,
  'periods' | 'scheduleGroup' | 'metrics'
> {
  /** The dimension `service` of the metrics. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly poller: Poller;
}

/** Alarms that are sent to a topic and, with `monitoring` full, a dashboard. */
export class Monitoring extends Construct {
  /** Where the alarms are sent. */
  readonly alarmTopic: ITopic;
  readonly #alarms: Alarm[];
  readonly #props: MonitoringProps;
  readonly #resourceProps: ResourceAlarmsProps;
  readonly #dashboard?: NotifierDashboard;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#props = props;
    const { config, serviceName, poller } = props;
    this.alarmTopic = makeAlarmTopic(this, config);
    const metrics = new PollerMetrics(serviceName);
    const periods = periodsOf(config);
    const { scheduleGroup } = poller;
    const resourceProps = { ...props, metrics, scheduleGroup, periods };
    this.#resourceProps = resourceProps;
    const definitions = [
      ...pollerAlarms({ metrics, functions: poller.functions, config, periods }),
      ...resourceAlarms(resourceProps),
    ];
    this.#alarms = this.#makeAlarms(definitions);
    if (config.monitoring !== 'full') return;
    this.#dashboard = new NotifierDashboard(this, { ...props, metrics, alarms: this.#alarms });
  }

  get alarms(): readonly Alarm[] {
    return this.#alarms;
  }

  /** Takes up a subscriber that was added later, as if it had been there from the start. */
  addSubscriber(name: string, deadLetters: IQueue): void {
    const { webhooks, pipes } = this.#props.subscribers;
    const definitions = subscriberAlarms(this.#resourceProps);
    for (const { id, metric } of definitions) {
      const existing = this.node.tryFindChild(id)?.node.defaultChild;
      // The number of subscribers is a part of the expression.
      if (existing !== undefined && metric instanceof MathExpression) {
        (existing as CfnAlarm).addPropertyOverride('Metrics.0.Expression', metric.expression);
      }
    }
    const isNew = ({ id }: AlarmDefinition) => this.node.tryFindChild(id) === undefined;
    this.#alarms.push(...this.#makeAlarms(definitions.filter(isNew)));
    this.#dashboard?.addDeadLetters(name, deadLetters);
    this.#dashboard?.addDeliveries({
      webhooks: webhooks.filter((webhook) => webhook.name === name),
      pipes: new Map([...pipes].filter(([each]) => each === name)),
    });
  }

  #makeAlarms(definitions: readonly AlarmDefinition[]): Alarm[] {
    const isFull = this.#props.config.monitoring === 'full';
    return definitions
      .filter(({ isEssential }) => isEssential || isFull)
      .map((definition) => this.#makeAlarm(definition));
  }

  #makeAlarm(definition: AlarmDefinition): Alarm {
    const { enabled, runbookUrl = 'docs/operations.md' } = this.#props.config;
    const { id, description, metric, threshold, periodCount = 1, isOnMissing } = definition;
    const alarm = new Alarm(this, id, {
      alarmDescription: `${description} What to do: ${runbookUrl}#${anchorOf(id)}`,
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

function periodsOf({ everyMinutes }: StageConfig): AlarmPeriods {
  return {
    short: Duration.minutes(Math.max(5, 2 * everyMinutes)),
    long: Duration.minutes(Math.max(15, 4 * everyMinutes)),
  };
}

/** The anchor that GitHub makes of the heading: `NoRunCompleted` is "No run completed". */
function anchorOf(id: string): string {
  const [words = ''] = id.split('-');
  return words.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
