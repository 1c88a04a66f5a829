import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  ERROR_DIMENSIONS,
  isWritten,
  METRICS,
  type MetricDefinition,
  type Monitoring,
} from '../../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../../../functions/deliver/metrics.ts';
import { parseConfig } from '../../../../infra/config/config.ts';
import { NotifierStack } from '../../../../infra/stack.ts';
import { markdown } from '../../markdown.ts';
import { PRICES } from './prices.ts';

const ADDRESSES = { baseUrl: 'https://api.example.com', authUrl: 'https://auth.example.com' };

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
export function billMonitoring(
  monitoring: Monitoring,
  subscribers: readonly { readonly protocol: string }[] = [],
  shards = 1,
): MonitoringBill {
  const webhooks = subscribers.filter(({ protocol }) => protocol === 'webhook').length;
  const definitions: MetricDefinition[] = Object.values({ ...METRICS, ...WEBHOOK_METRICS });
  const written = definitions.filter((metric) => isWritten(metric, monitoring));
  const count = (metrics: readonly MetricDefinition[]): number =>
    metrics.reduce((sum, metric) => sum + billedCount(metric, { shards, webhooks }), 0);
  const steadyCount = count(written.filter(({ isSteady = false }) => isSteady));
  const template = synthesize({ monitoring, subscribers, shards });
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const alarmCount = alarms.flatMap(metricsOfAlarm).length;
  const dashboards = Object.keys(template.findResources('AWS::CloudWatch::Dashboard'));
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
export function monitoringTable(): string {
  const rows = (['basic', 'full'] as const).flatMap((monitoring) =>
    KINDS.map(({ kind, subscribers, shards }) => {
      const { metricCounts, alarmCount, usd } = billMonitoring(monitoring, subscribers, shards);
      return [
        ...[`\`${monitoring}\``, kind, String(shards), metricCounts.join(' to ')],
        ...[String(alarmCount), usd.map((each) => each.toFixed(2)).join(' to ')],
      ];
    }),
  );
  return markdown(['`monitoring`', 'Subscribers', 'Shards', 'Metrics', 'Alarms', 'USD'], rows);
}

function synthesize(config: object): Template {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-cost-'));
  try {
    const context = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true };
    const app = new App({ outdir, treeMetadata: false, context });
    const { cost } = parseConfig({ cost: { ...ADDRESSES, ...config } });
    if (cost === undefined) throw new TypeError('the config has no stage');
    return Template.fromStack(new NotifierStack(app, 'cost', cost));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function metricsOfAlarm({ Properties }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { Metrics } = (Properties ?? {}) as { readonly Metrics?: readonly object[] };
  return Metrics?.filter((metric) => 'MetricStat' in metric) ?? [{}];
}

/** What decides how many metrics a definition makes. */
interface MetricValues {
  readonly shards: number;
  readonly webhooks: number;
}

/** How many metrics CloudWatch bills for a definition, one for each value of its dimension. */
function billedCount({ by }: MetricDefinition, { shards, webhooks }: MetricValues): number {
  switch (by) {
    case 'error':
      return ERROR_DIMENSIONS.length;
    case 'shard':
      return shards === 1 ? 1 : shards + 1;
    case 'webhook':
      return webhooks;
    default:
      return 1;
  }
}
