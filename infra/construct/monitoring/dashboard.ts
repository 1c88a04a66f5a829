import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Column,
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
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Poller } from '../poller.ts';
import type { Subscribers } from '../subscribers/subscribers.ts';
import type { PollerMetrics } from './poller-metrics.ts';

/** CloudWatch's grid has 24 columns. */
const WIDTH = 24;
const HEIGHT = 6;
/** CloudWatch refuses a widget with more. */
const ALARMS_PER_WIDGET = 100;

interface DashboardProps {
  readonly metrics: PollerMetrics;
  readonly alarms: IAlarm[];
  readonly poller: Poller;
  readonly table: ITable;
  readonly topic: ITopic;
  readonly subscribers: Pick<Subscribers, 'deadLetters' | 'webhooks' | 'pipes'>;
}

type Row = readonly (readonly [title: string, metrics: readonly IMetric[]])[];

/** A dashboard with one row for each question of an operator. */
export class NotifierDashboard {
  readonly #dashboard: Dashboard;
  readonly #metrics: PollerMetrics;
  readonly #queues: GraphWidget | undefined;
  /** Graphs of deliveries, of their age, and of what waits; absent until there is a webhook or a bus. */
  #deliveries: readonly GraphWidget[] = [];

  /** @param props.alarms those that are added to it later are shown, too. */
  constructor(scope: Construct, props: DashboardProps) {
    const dashboard = new Dashboard(scope, 'Dashboard');
    const { alarms, subscribers, metrics } = props;
    this.#dashboard = dashboard;
    this.#metrics = metrics;
    const stuck = graphsOf(stuckRow(props));
    this.#queues = stuck.at(-1);
    for (const [name, queue] of subscribers.deadLetters) this.addDeadLetters(name, queue);
    dashboard.addWidgets(heading('Is it working?'));
    dashboard.addWidgets(new AlarmStates(alarms));
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
  addDeliveries({ webhooks, pipes }: Pick<Subscribers, 'webhooks' | 'pipes'>): void {
    const queues = [
      ...webhooks.map(({ name, ownQueue }) => [name, ownQueue.queue] as const),
      ...[...pipes].map(([name, { ownQueue }]) => [name, ownQueue.queue] as const),
    ];
    if (queues.length === 0) return;
    if (this.#deliveries.length === 0) {
      this.#deliveries = graphsOf([
        ['Attempts of webhooks', []],
        ['Time from a change to its delivery, in seconds', []],
        ['Waiting for webhooks and buses', []],
      ]);
      this.#dashboard.addWidgets(heading('What is delivered?'));
      this.#dashboard.addWidgets(...this.#deliveries);
    }
    const [attempts, ages, waiting] = this.#deliveries;
    for (const { name } of webhooks) {
      const read = (metric: string, label: string, statistic: string) =>
        this.#metrics.ofWebhook(name, metric, { period, statistic, label: `${label} ${name}` });
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
}

/** The states of all alarms, also of those that are added before synthesis. */
class AlarmStates implements IWidget {
  readonly width = WIDTH;
  readonly #alarms: readonly IAlarm[];
  #position: readonly [x: number, y: number] = [0, 0];

  constructor(alarms: readonly IAlarm[]) {
    this.#alarms = alarms;
  }

  get height(): number {
    return this.#column().height;
  }

  position(x: number, y: number): void {
    this.#position = [x, y];
  }

  toJson(): object[] {
    const column = this.#column();
    column.position(...this.#position);
    return column.toJson() as object[];
  }

  #column(): Column {
    const count = Math.ceil(this.#alarms.length / ALARMS_PER_WIDGET);
    const widgets = Array.from({ length: count }, (_, index) => {
      const start = index * ALARMS_PER_WIDGET;
      const alarms = this.#alarms.slice(start, start + ALARMS_PER_WIDGET);
      return new AlarmStatusWidget({ alarms, width: WIDTH, height: 4 });
    });
    return new Column(...widgets);
  }
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

const period = Duration.minutes(5);

function workingRow({ metrics, poller }: DashboardProps): Row {
  const sum = (name: string) => metrics.metric(name, { period });
  const counts = ['RunsCompleted', 'LeaseHeld', 'StoppedEarly', 'ServiceOutage'];
  return [
    ['Runs', [...counts.map(sum), ...poller.functions.map((of) => of.metricErrors({ period }))]],
    ...(poller.functions.length > 1 ? [completedByShard(metrics, poller)] : []),
    ['Events and pages', ['EventsPublished', 'LargeEvents', 'PagesRead'].map(sum)],
    ['Reconciliation', ['ReconcileHealed', 'ReconcileListsFailed'].map(sum)],
    ['Token', ['TokenMissing', 'TokenRefused', 'TokenExchanges', 'TokenRefusals'].map(sum)],
  ];
}

function completedByShard(metrics: PollerMetrics, { functions }: Poller): Row[number] {
  const runs = functions.map((_, shard) =>
    metrics.runsCompleted(shard, functions.length, period).with({ label: `shard ${shard}` }),
  );
  return ['Completed runs by shard', runs];
}

function freshRow({ metrics }: DashboardProps): Row {
  const lag = [Stats.p(50), Stats.p(95), Stats.MAXIMUM].map((statistic) =>
    metrics.metric('EventLagSeconds', { period, statistic, label: statistic }),
  );
  const highest = (name: string) => metrics.metric(name, { period, statistic: Stats.MAXIMUM });
  return [
    ['Time from a change to its event, in seconds', lag],
    ['Longest wait of a list, in seconds', [highest('MaxWaitSeconds')]],
    ['Request budget used, in percent', [highest('BudgetUsedPercent')]],
  ];
}

function stuckRow(props: DashboardProps): Row {
  const { metrics } = props;
  const gauge = (name: string) => metrics.metric(name, { period, statistic: Stats.MAXIMUM });
  const lists = ['FeedsWaiting', 'FeedsParked', 'FeedsInBaseline'];
  return [
    ['Lists', lists.map(gauge)],
    ['Since the oldest failure, in seconds', [gauge('OldestFailureSeconds')]],
    [
      'For an operator',
      [metrics.metric('Quarantined', { period, statistic: Stats.SUM, label: 'quarantined' })],
    ],
  ];
}

function messagesIn(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period, label });
}

/** What is billed by use, a day. test/bench/cost/prices.ts has the prices. */
function costRow({ metrics, poller, table, topic }: DashboardProps): Row {
  const day = Duration.days(1);
  const units = (metricName: string) =>
    table.metric(metricName, { period: day, statistic: Stats.SUM });
  const logged = new Metric({
    namespace: 'AWS/Logs',
    metricName: 'IncomingBytes',
    dimensionsMap: { LogGroupName: poller.logGroup.logGroupName },
    statistic: Stats.SUM,
    period: day,
  });
  const requests = ['RequestsSent', 'RequestRetries', 'RateLimited'];
  return [
    [
      'Lambda: milliseconds a day',
      poller.functions.map((of) => of.metricDuration({ period: day, statistic: Stats.SUM })),
    ],
    [
      'DynamoDB: units a day',
      [units('ConsumedReadCapacityUnits'), units('ConsumedWriteCapacityUnits')],
    ],
    [
      'Requests and events a day',
      [
        ...requests.map((name) => metrics.metric(name, { period: day })),
        topic.metricNumberOfMessagesPublished({ period: day }),
      ],
    ],
    ['Logs: bytes a day', [logged]],
  ];
}
