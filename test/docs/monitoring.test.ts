import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS } from '../../functions/deliver/metrics.ts';
import { templateOf } from '../infra/synthesize.ts';
import { monitoringTable } from '../tools/bench/cost/monitoring.ts';

const monitoring = await readFile('docs/monitoring.md', 'utf8');

describe('docs/monitoring.md', () => {
  it('tells every metric with its unit and the monitoring that writes it, in order', () => {
    const rows = [...monitoring.matchAll(/^\| `(\w+)` +\| (\w+) +\| (basic|full) +\| \S/gm)];
    expect(rows.map(([, ...cells]) => cells)).toEqual(
      [...Object.entries(METRICS), ...Object.entries(WEBHOOK_METRICS)].map(([name, metric]) => [
        ...[name, metric.unit, metric.monitoring],
      ]),
    );
  });

  it.each(Object.entries(METRICS).filter(([name]) => /Seconds$|Percent$/.test(name)))(
    'calls %s a gauge, or tells that each event has a value',
    (name) => {
      const row = monitoring.split('\n').find((line) => line.startsWith(`| \`${name}\``));
      expect(row).toMatch(name === 'EventLagSeconds' ? /each published event/ : /\| Gauge\. /);
    },
  );

  it.each(['basic', 'full'])('tells every alarm of monitoring %s', (level) => {
    const rows = [...monitoring.matchAll(/^\| `(\w+)` +\| (basic|full) +\| \S/gm)];
    const told = rows.filter(([, , from]) => from === 'basic' || level === 'full');
    const endpoint = 'https://hook.builder.eu';
    const bus = 'arn:aws:events:eu-central-1:210987654321:event-bus/hook';
    const subscribers = [
      { name: 'hooka', protocol: 'webhook', endpoint: `${endpoint}/a` },
      { name: 'hookb', protocol: 'eventBridge', endpoint: bus },
    ];
    const reconcile = { schedule: 'daily' };
    const template = templateOf({ monitoring: level, subscribers, reconcile });
    const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm')).map((id) =>
      id.replace(/^NotifierMonitoring(\w+?)(hook[ab]?)?[0-9A-F]{8}$/, '$1'),
    );
    expect(told.map(([, name]) => name).sort()).toEqual([...new Set(alarms)].sort());
  });

  it('tells what each monitoring costs, as it is counted', () => {
    expect(monitoring).toContain(monitoringTable());
  });
});
