import { type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { isWritten, METRICS, type Metric } from '../../../../functions/core/ports/metrics.ts';
import { WEBHOOK_METRICS, type WebhookMetric } from '../../../../functions/deliver/metrics.ts';
import { onlyResource, templateOf } from '../../synthesize.ts';

const subscribers = [
  { name: 'orders', protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:210987654321:orders' },
  { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' },
  {
    ...{ name: 'bus', protocol: 'eventBridge' },
    endpoint: 'arn:aws:events:eu-central-1:210987654321:event-bus/bus',
  },
];
const reconcile = { schedule: 'daily' };
const everything = templateOf({ monitoring: 'full', subscribers, reconcile });

/** A metric that an alarm reads, with references as their text. */
interface ReadMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Alarm {
  readonly AlarmDescription: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly TreatMissingData: string;
  readonly OKActions?: readonly unknown[];
  readonly ActionsEnabled: boolean;
  readonly Period?: number;
  readonly Statistic?: string;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: ReadMetric; readonly Period: number };
  }[];
}

/** The alarms of a template by their names in the construct. */
function alarmsOf(template: Template): Map<string, Alarm & Partial<ReadMetric>> {
  return new Map(
    Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, alarm]) => [
      /NotifierMonitoring(\w+?)[0-9A-F]{8}$/.exec(id)?.[1] ?? id,
      (alarm as { Properties: Alarm & Partial<ReadMetric> }).Properties,
    ]),
  );
}

function metricsOf(alarm: Alarm & Partial<ReadMetric>): ReadMetric[] {
  const { Namespace = '', MetricName = '', Dimensions = [], Metrics } = alarm;
  if (Metrics === undefined) return [{ Namespace, MetricName, Dimensions }];
  return Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
}

const HOUR = 3600;
const RUNS = 'Sitecast';

describe('the alarms of shards', () => {
  const alarms = alarmsOf(templateOf({ monitoring: 'full', shards: 2 }));
  const ofOne = alarmsOf(templateOf({ monitoring: 'full' }));
  const PER_SHARD = ['NoRunCompleted', 'RunErrors', 'RunsNearTimeLimit'];

  it('are those of one shard, and further ones where a shard could hide another', () => {
    const further = PER_SHARD.map((name) => `${name}1`);
    expect([...alarms.keys()].sort()).toEqual([...ofOne.keys(), ...further].sort());
  });

  it('report each shard that completes no run', () => {
    const dimensions = ['NoRunCompleted', 'NoRunCompleted1'].map(
      (name) => alarms.get(name)?.Dimensions,
    );
    const of = (shard: string) => [
      { Name: 'service', Value: 'sitecast-test' },
      { Name: 'shard', Value: shard },
    ];
    expect(dimensions).toEqual([of('0'), of('1')]);
    expect(alarms.get('NoRunCompleted1')?.AlarmDescription).toContain('of shard 1');
    expect(alarms.get('NoRunCompleted1')?.AlarmDescription).toContain('#no-run-completed');
  });
});

describe('the alarms', () => {
  it.each(['basic', 'full'] as const)(
    'of monitoring %s read metrics that are written',
    (monitoring) => {
      const alarms = alarmsOf(templateOf({ monitoring, subscribers, reconcile }));
      const ours = [...alarms.values()]
        .flatMap(metricsOf)
        .filter((read) => read.Namespace === RUNS);
      for (const { MetricName, Dimensions } of ours) {
        if (Dimensions.some(({ Name }) => Name === 'Webhook')) {
          expect(Object.keys(WEBHOOK_METRICS)).toContain(MetricName);
          expect(
            isWritten(WEBHOOK_METRICS[MetricName as WebhookMetric], monitoring),
            MetricName,
          ).toBe(true);
          expect(Dimensions).toContainEqual({ Name: 'Webhook', Value: 'api' });
          expect(Dimensions).toContainEqual({ Name: 'service', Value: 'sitecast-test' });
          continue;
        }
        expect(Object.keys(METRICS)).toContain(MetricName);
        expect(isWritten(METRICS[MetricName as Metric], monitoring), MetricName).toBe(true);
        expect(Dimensions).toEqual([{ Name: 'service', Value: 'sitecast-test' }]);
      }
    },
  );

  it('need no metric that only full has where basic has an alarm, and basic has no other', () => {
    const needed = [...alarmsOf(templateOf({ subscribers })).values()]
      .flatMap(metricsOf)
      .flatMap(({ Namespace, MetricName }) => (Namespace === RUNS ? [MetricName] : []));
    const written = Object.entries({ ...METRICS, ...WEBHOOK_METRICS }).flatMap(([name, metric]) =>
      isWritten(metric, 'basic') ? [name] : [],
    );
    expect(needed.toSorted()).toEqual(written);
  });

  it('wait for several runs where runs are far apart', () => {
    const alarms = alarmsOf(templateOf({ everyMinutes: 60, monitoring: 'full' }));
    expect(alarms.get('NoRunCompleted')?.Period).toBe(3 * HOUR);
    expect(alarms.get('RunErrors')?.Period).toBe(4 * HOUR);
    expect(alarms.get('TokenRefused')?.Period).toBe(2 * HOUR);
  });

  it('are all sent, except those on missing runs of a stage that is switched off', () => {
    for (const enabled of [true, false]) {
      for (const [name, alarm] of alarmsOf(templateOf({ enabled }))) {
        expect(alarm.ActionsEnabled, name).toBe(enabled || name !== 'NoRunCompleted');
      }
    }
  });

  it('can be evaluated by CloudWatch: at most a day, or seven with periods of an hour', () => {
    for (const everyMinutes of [1, 7, 15, 60]) {
      const alarms = alarmsOf(templateOf({ monitoring: 'full', everyMinutes, subscribers }));
      for (const [name, { Period = 0, EvaluationPeriods }] of alarms) {
        expect(Period % 60, name).toBe(0);
        expect(Period * EvaluationPeriods, name).toBeLessThanOrEqual(86_400);
      }
    }
  });

  it('send no OK at their creation', () => {
    const own = { Ref: onlyResource(everything, 'AWS::SNS::Topic', /AlarmTopic/).id };
    for (const [name, { OKActions, TreatMissingData }] of alarmsOf(everything)) {
      // A new alarm has no values yet: it becomes OK unless they count as breaching.
      expect(OKActions, name).toEqual(TreatMissingData === 'breaching' ? [own] : undefined);
    }
  });

  it('are sent to the topic of the stack, and to the configured one if there is one', () => {
    const own = { Ref: onlyResource(everything, 'AWS::SNS::Topic', /AlarmTopic/).id };
    everything.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [own] });
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:210987654321:alarms';
    const other = templateOf({ alarmTopicArn });
    other.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [alarmTopicArn] });
    other.resourceCountIs('AWS::SNS::Topic', 1);
  });

  it('say in a sentence what is wrong, and name the entry of the runbook', () => {
    for (const { AlarmDescription } of alarmsOf(everything).values()) {
      expect.soft(AlarmDescription).toMatch(/^[A-Z][^.]+\. What to do: docs\/runbook\.md#[a-z-]+$/);
    }
  });

  it('link their entry in the runbook at its configured address', () => {
    const runbookUrl = 'https://wiki.builder.eu/runbook.md';
    const alarms = alarmsOf(templateOf({ runbookUrl }));
    for (const [name, { AlarmDescription }] of alarms) {
      expect(AlarmDescription, name).toContain(` ${runbookUrl}#`);
    }
    expect(alarms.get('TokenMissing')?.AlarmDescription).toMatch(/#token-missing$/);
  });
});
