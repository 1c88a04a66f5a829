import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../../functions/core/ports/metrics.ts';
import { onlyResource, templateOf } from '../../synthesize.ts';

describe('the dashboard', () => {
  it('comes with monitoring full only, and nothing with off', () => {
    templateOf().resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    const off = templateOf({ monitoring: 'off' });
    for (const type of ['Alarm', 'Dashboard']) off.resourceCountIs(`AWS::CloudWatch::${type}`, 0);
    off.resourceCountIs('AWS::SNS::Topic', 1);
  });

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
      '## What does it cost?',
    ]);
    const names = [...body.matchAll(/\\"Sitecast\\",\\"(\w+)\\"/g)].map(([, name]) => name);
    expect(names).toContain('EventLagSeconds');
    expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(names));
  });
});
