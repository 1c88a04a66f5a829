import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Monitoring } from '../../../functions/core/ports/metrics.ts';
import { parseConfig } from '../../../infra/config/config.ts';
import { NotifierStack } from '../../../infra/stack.ts';
import { markdown } from '../report-table.ts';
import {
  billMonitoring,
  monitoringUsd,
  type BilledResource,
  type MonitoringBill,
} from './monitoring-bill.ts';

interface Template {
  readonly Resources: Readonly<Record<string, BilledResource>>;
}

const ADDRESSES = { baseUrl: 'https://api.example.com', authUrl: 'https://auth.example.com' };

/** Counts what is billed of a stage. */
export function monitoringCost(
  monitoring: Monitoring,
  subscribers: readonly { readonly protocol: string }[] = [],
  shards = 1,
): MonitoringBill {
  const config = { ...ADDRESSES, monitoring, subscribers, shards };
  const webhooks = subscribers.filter(({ protocol }) => protocol === 'webhook').length;
  return billMonitoring(resourcesOf(config), monitoring, { shards, webhooks });
}

/** Of each config that was synthesized. */
const resources = new Map<string, readonly BilledResource[]>();

/** The resources of a stage's template. */
function resourcesOf(config: object): readonly BilledResource[] {
  const key = JSON.stringify(config);
  const known = resources.get(key) ?? synthesize(config);
  resources.set(key, known);
  return known;
}

function synthesize(config: object): BilledResource[] {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-cost-'));
  try {
    const app = new App({
      outdir,
      treeMetadata: false,
      context: { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
    });
    const stage = parseConfig({ cost: config })['cost'];
    if (stage === undefined) throw new TypeError('the config has no stage');
    const { artifactId } = new NotifierStack(app, 'cost', stage);
    const { template } = app.synth().getStackArtifact(artifactId) as { template: Template };
    return Object.values(template.Resources);
  } finally {
    rmSync(outdir, { recursive: true });
  }
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
export function monitoringLines(): string {
  const head = [
    'Monitoring',
    'Subscribers',
    'Shards',
    'Metrics',
    'Alarms',
    'Dashboard',
    'USD a month',
  ];
  const levels = ['off', 'basic', 'full'] as const;
  const rows = levels.flatMap((monitoring) =>
    KINDS.map(({ kind, subscribers, shards }) => {
      const cost = monitoringCost(monitoring, subscribers, shards);
      return [
        `\`${monitoring}\``,
        kind,
        String(shards),
        `${cost.steadyMetricCount} to ${cost.metricCount}`,
        String(cost.alarmCount),
        String(cost.dashboardCount),
        `${monitoringUsd(cost).toFixed(2)} to ${monitoringUsd(cost, cost.metricCount).toFixed(2)}`,
      ];
    }),
  );
  return markdown(head, rows);
}
