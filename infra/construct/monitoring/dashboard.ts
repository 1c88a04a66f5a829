import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  Row,
  Stats,
  TextWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Metric as MetricName } from '../../../functions/core/ports/metrics.ts';
import type { WebhookMetric } from '../../../functions/deliver/metrics.ts';
import type { Watched } from './alarms.ts';

/** CloudWatch's grid has 24 columns. */
const WIDTH = 24;
/** CloudWatch refuses a widget with more. */
const ALARMS_PER_WIDGET = 100;

const period = Duration.minutes(5);

export interface DashboardProps extends Watched {
  readonly alarms: readonly IAlarm[];
}

type Graph = readonly [title: string, metrics: readonly IMetric[]];

/** Makes a dashboard with one row for each question of an operator. */
export function makeDashboard(scope: Construct, props: DashboardProps): void {
  new Dashboard(scope, 'Dashboard', { widgets: rowsOf(props).map((row) => [row]) });
}

function rowsOf(props: DashboardProps): IWidget[] {
  const { metrics, subscribers } = props;
  const { webhooks, pipes, deadLetters } = subscribers;
  const alarms = props.alarms.slice(0, ALARMS_PER_WIDGET);
  const lag = [Stats.p(50), Stats.p(95), Stats.MAXIMUM].map((statistic) =>
    metrics.read('EventLagSeconds', { statistic, label: statistic }),
  );
  const dead = [...deadLetters].map(([name, queue]) =>
    messagesIn(queue, `dead letters of ${name}`),
  );
  return [
    heading('Is it working?'),
    new AlarmStatusWidget({ alarms: [...alarms], width: WIDTH, height: 4 }),
    graphs(workingGraphs(props)),
    heading('How fresh are the events?'),
    graphs([
      ['Time from a change to its event, in seconds', lag],
      ['Longest wait of a list, in seconds', [metrics.read('MaxWaitSeconds')]],
      ['Request budget used, in percent', [metrics.read('BudgetUsedPercent')]],
    ]),
    heading('What is stuck?'),
    graphs([
      ['Lists that wait', [metrics.read('FeedsWaiting')]],
      ['Since the oldest failure, in seconds', [metrics.read('OldestFailureSeconds')]],
      ['For an operator', [metrics.read('Quarantined', { label: 'quarantined' }), ...dead]],
    ]),
    ...(webhooks.size + pipes.size === 0
      ? []
      : [heading('What is delivered?'), graphs(deliveryGraphs(props))]),
  ];
}

function heading(question: string): TextWidget {
  return new TextWidget({ markdown: `## ${question}`, width: WIDTH, height: 1 });
}

function graphs(row: readonly Graph[]): Row {
  const width = Math.floor(WIDTH / row.length);
  const leftYAxis = { min: 0 };
  return new Row(
    ...row.map(
      ([title, left]) => new GraphWidget({ title, left: [...left], width, height: 6, leftYAxis }),
    ),
  );
}

function workingGraphs({ metrics, poller }: DashboardProps): Graph[] {
  const read = (...names: MetricName[]) => names.map((name) => metrics.read(name));
  const { functions } = poller;
  const completed = functions.map((_, shard) =>
    metrics.runsCompleted(shard, functions.length, { period, label: `shard ${shard}` }),
  );
  const runs = read('RunsCompleted', 'LeaseHeld', 'StoppedEarly', 'ServiceOutage');
  return [
    ['Runs', [...runs, ...functions.map((of) => of.metricErrors({ period }))]],
    ...(functions.length > 1 ? [['Completed runs by shard', completed] as const] : []),
    [
      'Events, pages and requests',
      read('EventsPublished', 'PagesRead', 'RequestsSent', 'RateLimited'),
    ],
    ['Reconciliation', read('ReconcileHealed', 'ReconcileListsFailed')],
    ['Token', read('TokenMissing', 'TokenRefused', 'TokenExchanges')],
  ];
}

function deliveryGraphs({ metrics, subscribers }: DashboardProps): Graph[] {
  const { webhooks, pipes } = subscribers;
  const names = [...webhooks.keys()];
  const read = (name: WebhookMetric, Webhook: string, label: string, statistic: string) =>
    metrics.read(name, { label: `${label} ${Webhook}`, statistic }, { Webhook });
  const queues = [
    ...[...webhooks].map(([name, { queue }]) => [name, queue] as const),
    ...[...pipes].map(([name, { ownQueue }]) => [name, ownQueue.queue] as const),
  ];
  const attempts = names.flatMap((name) => [
    read('WebhookDelivered', name, 'delivered to', Stats.SUM),
    read('WebhookFailures', name, 'failed for', Stats.SUM),
  ]);
  const ages = names.map((name) => read('WebhookDeliverySeconds', name, 'p95 of', Stats.p(95)));
  const waiting = queues.flatMap(([name, queue]) => [
    messagesIn(queue, `next for ${name}`),
    queue.metricApproximateNumberOfMessagesNotVisible({ period, label: `later for ${name}` }),
  ]);
  return [
    ['Attempts of webhooks', attempts],
    ['Time from a change to its delivery, in seconds', ages],
    ['Waiting for webhooks and buses', waiting],
  ];
}

function messagesIn(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period, label });
}
