import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  billedCount,
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

/** What CloudWatch bills for a stage, besides logs. */
export interface MonitoringBill {
  /** Metrics that have a value all month, in which nothing fails. */
  readonly steadyMetricCount: number;
  /** If every metric had a value all month. */
  readonly metricCount: number;
  /** Metrics that alarms read: an alarm on an expression is billed for each. */
  readonly alarmCount: number;
  readonly dashboardCount: number;
}

/** Counts alarms and dashboards in a stage's template, and metrics by their definitions. */
export function monitoringBill(
  monitoring: Monitoring,
  subscribers: readonly { readonly protocol: string }[] = [],
  shards = 1,
): MonitoringBill {
  const template = synthesize({ monitoring, subscribers, shards });
  const webhooks = subscribers.filter(({ protocol }) => protocol === 'webhook').length;
  const definitions: MetricDefinition[] = Object.values({ ...METRICS, ...WEBHOOK_METRICS });
  const written = definitions.filter((metric) => isWritten(metric, monitoring));
  const count = (metrics: readonly MetricDefinition[]) =>
    metrics.reduce((sum, metric) => sum + billedCount(metric, { shards, webhooks }), 0);
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const dashboards = template.findResources('AWS::CloudWatch::Dashboard');
  return {
    steadyMetricCount: count(written.filter(({ isSteady = false }) => isSteady)),
    metricCount: count(written),
    alarmCount: alarms.flatMap(metricsOfAlarm).length,
    dashboardCount: Object.keys(dashboards).length,
  };
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

/** A month of a number of metrics, with alarms and dashboards, without the free tier. */
export function monitoringUsd(
  { alarmCount, dashboardCount, steadyMetricCount }: MonitoringBill,
  metricCount = steadyMetricCount,
): number {
  const { metricMonth, alarmMonth, dashboardMonth } = PRICES;
  return metricCount * metricMonth + alarmCount * alarmMonth + dashboardCount * dashboardMonth;
}

const QUEUE = {
  ...{ name: 'queue', protocol: 'sqs' },
  endpoint: 'arn:aws:sqs:eu-central-1:210987654321:queue',
};
const WEBHOOK = { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' };

const KINDS = [
  { kind: 'none', subscribers: [], shards: 1 },
  { kind: 'one queue', subscribers: [QUEUE], shards: 1 },
  { kind: 'one webhook', subscribers: [WEBHOOK], shards: 1 },
  { kind: 'none', subscribers: [], shards: 8 },
];

/** What a month of each `monitoring` costs: a table in Markdown. */
export function monitoringTable(): string {
  const head = ['Monitoring', 'Subscribers', 'Shards', 'Metrics', 'Alarms', 'Dashboard'];
  const rows = (['off', 'basic', 'full'] as const).flatMap((monitoring) =>
    KINDS.map(({ kind, subscribers, shards }) => {
      const bill = monitoringBill(monitoring, subscribers, shards);
      const { steadyMetricCount, metricCount, alarmCount, dashboardCount } = bill;
      return [
        ...[`\`${monitoring}\``, kind, String(shards), `${steadyMetricCount} to ${metricCount}`],
        ...[String(alarmCount), String(dashboardCount)],
        `${monitoringUsd(bill).toFixed(2)} to ${monitoringUsd(bill, metricCount).toFixed(2)}`,
      ];
    }),
  );
  return markdown([...head, 'USD a month'], rows);
}
