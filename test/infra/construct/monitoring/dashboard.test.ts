import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../../functions/core/ports/metrics.ts';
import { onlyResource, templateOf } from '../../synthesize.ts';

describe('the dashboard', () => {
  it('answers four questions, with metrics of ours that exist', () => {
    const { properties } = onlyResource(
      templateOf({ monitoring: 'full' }),
      'AWS::CloudWatch::Dashboard',
    );
    const body = JSON.stringify(properties['DashboardBody']);
    expect(body.match(/## [^"\\]+\?/g)).toEqual([
      '## Is it working?',
      '## How fresh are the events?',
      '## What is stuck?',
    ]);
    const names = [...body.matchAll(/\\"Sitecast\\",\\"(\w+)\\"/g)].map(([, name]) => name);
    expect(names).toContain('EventLagSeconds');
    expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(names));
  });

  it('shows as many alarms as a widget may have, and none above another', () => {
    const subscribers = Array.from({ length: 90 }, (_, index) => ({
      name: `queue-${index}`,
      protocol: 'sqs',
      endpoint: `arn:aws:sqs:eu-central-1:210987654321:queue-${index}`,
    }));
    const template = templateOf({ monitoring: 'full', subscribers });
    const alarmIds = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    const widgets = widgetsOf(template);
    const shown = widgets.flatMap(({ properties: { alarms } }) => (alarms ? [alarms] : []));
    expect(alarmIds).toEqual(expect.arrayContaining(shown.flat()));
    expect(alarmIds.length).toBeGreaterThan(100);
    expect(shown.map(({ length }) => length)).toEqual([100]);
    const places = widgets.map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

interface Widget {
  readonly x: number;
  readonly y: number;
  readonly properties: { readonly alarms?: readonly string[] };
}

/** The widgets of the dashboard, with logical IDs instead of ARNs. */
function widgetsOf(template: Template): readonly Widget[] {
  const { properties } = onlyResource(template, 'AWS::CloudWatch::Dashboard');
  const { DashboardBody } = properties as { DashboardBody: { 'Fn::Join': [string, unknown[]] } };
  const text = DashboardBody['Fn::Join'][1].map((part) => {
    if (typeof part === 'string') return part;
    const { 'Fn::GetAtt': [id = ''] = [] } = part as { 'Fn::GetAtt'?: readonly string[] };
    return id;
  });
  const { widgets } = JSON.parse(text.join('')) as { widgets: readonly Widget[] };
  return widgets;
}
