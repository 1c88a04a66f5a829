import { describe, expect, it } from 'vitest';
import { PollerTelemetry } from '../../../../functions/adapters/telemetry/poller-telemetry.ts';
import { METRICS, type Monitoring } from '../../../../functions/core/ports/metrics.ts';
import { captureOutput } from './capture-output.ts';

const output = captureOutput();
const { entries, entry } = output;

/** Telemetry that writes the metrics of a level. */
function telemetryOf(monitoring: Monitoring): PollerTelemetry {
  const telemetry = new PollerTelemetry();
  telemetry.setMonitoring(monitoring);
  return telemetry;
}

describe('the metrics', () => {
  it('are one entry a run in the embedded metric format, summed up', () => {
    const telemetry = telemetryOf('full');
    telemetry.count('PagesRead', 2);
    telemetry.count('PagesRead', 3);
    telemetry.count('RunsCompleted', 1);
    telemetry.count('MaxWaitSeconds', 120);
    expect(entries()).toEqual([]);
    telemetry.flush();
    expect(entry()).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'Sitecast',
            Dimensions: [['service']],
            Metrics: [
              { Name: 'PagesRead', Unit: 'Count' },
              { Name: 'RunsCompleted', Unit: 'Count' },
              { Name: 'MaxWaitSeconds', Unit: 'Seconds' },
            ],
          },
        ],
      },
      service: 'sitecast-test',
      PagesRead: 5,
      RunsCompleted: 1,
    });
  });

  it('are not written when they are zero', () => {
    const telemetry = telemetryOf('full');
    telemetry.count('Quarantined', 0);
    telemetry.flush();
    expect(output.text()).toBe('');
    telemetry.count('Quarantined', 0);
    telemetry.count('RunsCompleted', 1);
    telemetry.flush();
    expect(entry()).toHaveProperty('RunsCompleted', 1);
    expect(entry()).not.toHaveProperty('Quarantined');
  });

  it.each<[Monitoring, string[]]>([
    ['off', []],
    ['basic', ['RunsCompleted']],
    ['full', ['EventLagSeconds', 'PagesRead', 'RunsCompleted']],
  ])('with monitoring %s are %j', (monitoring, names) => {
    const telemetry = telemetryOf(monitoring);
    telemetry.count('PagesRead', 2);
    telemetry.count('RunsCompleted', 1);
    telemetry.observe('EventLagSeconds', 3);
    telemetry.flush();
    const known = Object.keys(METRICS);
    const written = entries().flatMap((metrics) => Object.keys(metrics));
    expect(written.filter((name) => known.includes(name))).toEqual(names);
  });

  it('of a shard show which one has completed its run, beside the sum of all', () => {
    const telemetry = telemetryOf('basic');
    telemetry.setShard(3);
    telemetry.count('RunsCompleted', 1);
    telemetry.flush();
    const entries = output.text().trimEnd().split('\n');
    const dimensions = entries.map((text) => {
      const { _aws, ...values } = JSON.parse(text) as Record<string, unknown>;
      return values;
    });
    expect(dimensions).toEqual([
      { service: 'sitecast-test', shard: '3', RunsCompleted: 1 },
      { service: 'sitecast-test', RunsCompleted: 1 },
    ]);
  });
});
