import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  Metric,
  Stats,
  TextWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Metric as MetricName } from '../../../functions/core/ports/metrics.ts';
import type { Poller } from '../poller.ts';
import type { Subscribers } from '../subscribers/subscribers.ts';
import type { Watched } from './alarms.ts';
import type { Metrics } from './metrics.ts';

/** CloudWatch's grid has 24 columns. */
const WIDTH = 24;
const HEIGHT = 6;
/** CloudWatch refuses a widget with more. */
const ALARMS_PER_WIDGET = 100;

const period = Duration.minutes(5);
const DAY = Duration.days(1);

export interface DashboardProps extends Watched {
  readonly poller: Poller;
  /** Those that are added to it later are shown, too. */
  readonly alarms: IAlarm[];
}

type Row = readonly (readonly [title: string, metrics: readonly IMetric[]])[];
type Deliveries = Pick<Subscribers, 'webhooks' | 'pipes'>;

/** A dashboard with one row for each question of an operator. */
export class NotifierDashboard {
  readonly #dashboard: Dashboard;
  readonly #metrics: Metrics;
  readonly #queues: GraphWidget | undefined;
  /** Graphs of attempts, ages and queues; absent until there is a webhook or a bus. */
  #deliveries: readonly GraphWidget[] = [];

  constructor(scope: Construct, props: DashboardProps) {
    const dashboard = new Dashboard(scope, 'Dashboard');
    const { alarms, subscribers, metrics } = props;
    this.#dashboard = dashboard;
    this.#metrics = metrics;
    const stuck = graphsOf(stuckRow(props));
    this.#queues = stuck.at(-1);
    for (const [name, queue] of subscribers.deadLetters) this.addDeadLetters(name, queue);
    dashboard.addWidgets(heading('Is it working?'));
    dashboard.addWidgets(statesOf(alarms));
    dashboard.addWidgets(...graphsOf(workingRow(props)));
    dashboard.addWidgets(heading('How fresh are the events?'));
    dashboard.addWidgets(...graphsOf(freshRow(props)));
    dashboard.addWidgets(heading('What is stuck?'));
    dashboard.addWidgets(...stuck);
    this.addDeliveries(subscribers);
    dashboard.addWidgets(heading('What does it cost?'));
    dashboard.addWidgets(...graphsOf(costRow(props)));
  }

  /** Adds a line of what a subscriber did not take. */
  addDeadLetters(name: string, queue: IQueue): void {
    this.#queues?.addLeftMetric(messagesIn(queue, `dead letters of ${name}`));
  }

  /** Adds lines of webhooks and buses, in a row of their own. */
  addDeliveries({ webhooks, pipes }: Deliveries): void {
    const queues = [
      ...[...webhooks].map(([name, { queue }]) => [name, queue] as const),
      ...[...pipes].map(([name, { ownQueue }]) => [name, ownQueue.queue] as const),
    ];
    if (queues.length === 0) return;
    if (this.#deliveries.length === 0) this.#beginDeliveries();
    const [attempts, ages, waiting] = this.#deliveries;
    for (const Webhook of webhooks.keys()) {
      const read = (
        name: 'WebhookDelivered' | 'WebhookFailures' | 'WebhookDeliverySeconds',
        label: string,
        statistic: string,
      ) =>
        this.#metrics.read(name, { period, statistic, label: `${label} ${Webhook}` }, { Webhook });
      attempts?.addLeftMetric(read('WebhookDelivered', 'delivered to', Stats.SUM));
      attempts?.addLeftMetric(read('WebhookFailures', 'failed for', Stats.SUM));
      ages?.addLeftMetric(read('WebhookDeliverySeconds', 'p95 of', Stats.p(95)));
    }
    for (const [name, queue] of queues) {
      waiting?.addLeftMetric(messagesIn(queue, `next for ${name}`));
      const label = `later for ${name}`;
      waiting?.addLeftMetric(queue.metricApproximateNumberOfMessagesNotVisible({ period, label }));
    }
  }

  #beginDeliveries(): void {
    this.#deliveries = graphsOf([
      ['Attempts of webhooks', []],
      ['Time from a change to its delivery, in seconds', []],
      ['Waiting for webhooks and buses', []],
    ]);
    this.#dashboard.addWidgets(heading('What is delivered?'));
    this.#dashboard.addWidgets(...this.#deliveries);
  }
}

/** The states of alarms, also of those that are added before synthesis: the first that fit. */
function statesOf(alarms: readonly IAlarm[]): IWidget {
  const widget = (): AlarmStatusWidget =>
    new AlarmStatusWidget({ alarms: alarms.slice(0, ALARMS_PER_WIDGET), width: WIDTH, height: 4 });
  let place: readonly [x: number, y: number] = [0, 0];
  return {
    width: WIDTH,
    height: 4,
    position: (x, y) => {
      place = [x, y];
    },
    toJson: () => {
      const states = widget();
      states.position(...place);
      return states.toJson() as object[];
    },
  };
}

function heading(question: string): TextWidget {
  return new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 });
}

function graphsOf(row: Row): GraphWidget[] {
  const width = Math.floor(WIDTH / row.length);
  return row.map(
    ([title, left]) =>
      new GraphWidget({ title, left: [...left], width, height: HEIGHT, leftYAxis: { min: 0 } }),
  );
}

function workingRow({ metrics, poller }: DashboardProps): Row {
  const read = (...names: MetricName[]) => names.map((name) => metrics.read(name));
  const { functions } = poller;
  const completed = functions.map((_, shard) =>
    metrics.runsCompleted(shard, functions.length, { period, label: `shard ${shard}` }),
  );
  const runs = read('RunsCompleted', 'LeaseHeld', 'StoppedEarly', 'ServiceOutage');
  const token = read('TokenMissing', 'TokenRefused', 'TokenExchanges');
  return [
    ['Runs', [...runs, ...functions.map((of) => of.metricErrors({ period }))]],
    ...(functions.length > 1 ? [['Completed runs by shard', completed] as const] : []),
    ['Events and pages', read('EventsPublished', 'PagesRead')],
    ['Reconciliation', read('ReconcileHealed', 'ReconcileListsFailed')],
    ['Token', token],
  ];
}

function freshRow({ metrics }: DashboardProps): Row {
  const lag = [Stats.p(50), Stats.p(95), Stats.MAXIMUM].map((statistic) =>
    metrics.read('EventLagSeconds', { period, statistic, label: statistic }),
  );
  return [
    ['Time from a change to its event, in seconds', lag],
    ['Longest wait of a list, in seconds', [metrics.read('MaxWaitSeconds')]],
    ['Request budget used, in percent', [metrics.read('BudgetUsedPercent')]],
  ];
}

function stuckRow({ metrics }: DashboardProps): Row {
  return [
    ['Lists that wait', [metrics.read('FeedsWaiting')]],
    ['Since the oldest failure, in seconds', [metrics.read('OldestFailureSeconds')]],
    ['For an operator', [metrics.read('Quarantined', { label: 'quarantined' })]],
  ];
}

function messagesIn(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period, label });
}

/** What is billed by use, a day. */
function costRow({ metrics, poller, table, topic }: DashboardProps): Row {
  const logged = new Metric({
    namespace: 'AWS/Logs',
    metricName: 'IncomingBytes',
    dimensionsMap: { LogGroupName: poller.logGroup.logGroupName },
    statistic: Stats.SUM,
    period: DAY,
  });
  const requests = (['RequestsSent', 'RateLimited'] as const).map((name) =>
    metrics.read(name, { period: DAY }),
  );
  const durations = poller.functions.map((of) =>
    of.metricDuration({ period: DAY, statistic: Stats.SUM }),
  );
  return [
    ['Lambda: milliseconds a day', durations],
    ['DynamoDB: units a day', unitsOf(table)],
    [
      'Requests and events a day',
      [...requests, topic.metricNumberOfMessagesPublished({ period: DAY })],
    ],
    ['Logs: bytes a day', [logged]],
  ];
}

function unitsOf(table: ITable): Metric[] {
  return ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((name) =>
    table.metric(name, { period: DAY, statistic: Stats.SUM }),
  );
}
