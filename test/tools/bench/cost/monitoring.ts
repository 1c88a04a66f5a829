import {
  isWritten,
  METRICS,
  type MetricDefinition,
  type Monitoring,
} from '../../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../../../functions/deliver/metrics.ts';
import type { TemplateResource } from '../../../../infra/local/stack/resolve-template.ts';
import { synthesize } from '../../../../infra/local/stack/synthesize.ts';
import { ADDRESSES } from '../../../support/config-samples.ts';
import { markdown } from '../../markdown.ts';
import { PRICES } from './prices.ts';

/** What CloudWatch bills a month for a stage, besides logs, without the free tier. */
interface MonitoringBill {
  /** Metrics that have a value in a month in which nothing fails, and all of them. */
  readonly metricCounts: readonly [steady: number, all: number];
  /** Metrics that alarms read: an alarm on an expression is billed for each. */
  readonly alarmCount: number;
  /** US dollars for each of the metric counts. */
  readonly usd: readonly [steady: number, all: number];
}

/** Counts alarms and dashboards in the stage's template, and metrics by their definitions. */
export async function billMonitoring(
  monitoring: Monitoring,
  subscribers: readonly { readonly protocol: string }[] = [],
  shards = 1,
): Promise<MonitoringBill> {
  const webhooks = subscribers.filter(({ protocol }) => protocol === 'webhook').length;
  const definitions: MetricDefinition[] = Object.values({ ...METRICS, ...WEBHOOK_METRICS });
  const written = definitions.filter((metric) => isWritten(metric, monitoring));
  const count = (metrics: readonly MetricDefinition[]): number =>
    metrics.reduce((sum, metric) => sum + billedCount(metric, shards, webhooks), 0);
  const steadyCount = count(written.filter(({ isSteady = false }) => isSteady));
  const assembly = await synthesize({ ...ADDRESSES, monitoring, subscribers, shards });
  await assembly.remove();
  const resources = Object.values(assembly.template.Resources);
  const alarms = resources.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
  const alarmCount = alarms.flatMap(metricsOfAlarm).length;
  const dashboards = resources.filter(({ Type }) => Type === 'AWS::CloudWatch::Dashboard');
  const { metricMonth, alarmMonth, dashboardMonth } = PRICES;
  const usd = (metricCount: number): number =>
    metricCount * metricMonth + alarmCount * alarmMonth + dashboards.length * dashboardMonth;
  const allCount = count(written);
  return {
    metricCounts: [steadyCount, allCount],
    alarmCount,
    usd: [usd(steadyCount), usd(allCount)],
  };
}

const QUEUE = { name: 'q', protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:210987654321:q' };
const WEBHOOK = { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' };
const KINDS = [
  { kind: 'none', subscribers: [], shards: 1 },
  { kind: 'one queue', subscribers: [QUEUE], shards: 1 },
  { kind: 'one webhook', subscribers: [WEBHOOK], shards: 1 },
  { kind: 'none', subscribers: [], shards: 8 },
];

/** What a month of each `monitoring` costs: the table of the docs. */
export async function monitoringTable(): Promise<string> {
  const rows: string[][] = [];
  for (const monitoring of ['basic', 'full'] as const) {
    for (const { kind, subscribers, shards } of KINDS) {
      const bill = await billMonitoring(monitoring, subscribers, shards);
      rows.push([
        ...[`\`${monitoring}\``, kind, String(shards), bill.metricCounts.join(' to ')],
        ...[String(bill.alarmCount), bill.usd.map((each) => each.toFixed(2)).join(' to ')],
      ]);
    }
  }
  return markdown(['`monitoring`', 'Subscribers', 'Shards', 'Metrics', 'Alarms', 'USD'], rows);
}

function metricsOfAlarm({ Properties }: TemplateResource): readonly unknown[] {
  const { Metrics } = (Properties ?? {}) as { readonly Metrics?: readonly object[] };
  return Metrics?.filter((metric) => 'MetricStat' in metric) ?? [{}];
}

/** How many metrics CloudWatch bills for a definition, one for each value of its dimension. */
function billedCount({ by }: MetricDefinition, shards: number, webhooks: number): number {
  if (by === 'shard') return shards === 1 ? 1 : shards + 1;
  return by === 'webhook' ? webhooks : 1;
}
