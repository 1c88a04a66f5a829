import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { parseSettings } from '../../../functions/settings/settings.ts';
import { ADDRESSES, EVERYTHING } from '../../support/config-samples.ts';
import { onlyResource, statementsOf, templateOf } from '../synthesize.ts';

const template = templateOf();
const full = templateOf(EVERYTHING);

describe('the pollers of shards', () => {
  const sharded = templateOf({ shards: 4 });
  const namesOf = (of: Template, type: string) =>
    Object.keys(of.findResources(type)).filter((id) => !id.includes('Control'));

  it.each(['AWS::Lambda::Function', 'AWS::Scheduler::Schedule', 'AWS::Lambda::EventInvokeConfig'])(
    'have a %s each, and shard 0 those of a stack without shards',
    (type) => {
      expect(namesOf(sharded, type)).toHaveLength(4);
      expect(namesOf(sharded, type)).toEqual(expect.arrayContaining(namesOf(template, type)));
    },
  );

  it('share role, logs and schedule group, and the schedules may start each', () => {
    for (const type of ['AWS::Logs::LogGroup', 'AWS::Scheduler::ScheduleGroup']) {
      expect(namesOf(sharded, type)).toEqual(namesOf(template, type));
    }
    expect(namesOf(sharded, 'AWS::IAM::Role')).toEqual(namesOf(template, 'AWS::IAM::Role'));
    const [{ Resource } = {}] = statementsOf(sharded, 'AWS::IAM::Policy', /ScheduleRole/);
    const arns = namesOf(sharded, 'AWS::Lambda::Function').map((id) => ({
      'Fn::GetAtt': [id, 'Arn'],
    }));
    expect(new Set(Resource as object[])).toEqual(new Set(arns));
  });

  it('know their number and how many there are', () => {
    const functions = sharded.findResources('AWS::Lambda::Function');
    const shards = namesOf(sharded, 'AWS::Lambda::Function').map((id) => {
      const { Properties } = functions[id] as {
        Properties: { Environment: { Variables: Record<string, string> } };
      };
      const { SITECAST_SHARD, SITECAST_CONFIG = '' } = Properties.Environment.Variables;
      return [SITECAST_SHARD, (JSON.parse(SITECAST_CONFIG) as { shards: number }).shards];
    });
    expect(shards).toEqual([0, 1, 2, 3].map((shard) => [String(shard), 4]));
  });
});

describe('the schedule', () => {
  it.each([
    [{ everyMinutes: 5, shards: 1 }, ['rate(5 minutes)']],
    [{ everyMinutes: 1, shards: 2 }, ['rate(1 minute)', 'rate(1 minute)']],
  ])('starts each shard by %o', (config, expressions) => {
    const schedules = templateOf(config).findResources('AWS::Scheduler::Schedule');
    const found = Object.values(schedules) as { Properties: { ScheduleExpression: string } }[];
    expect(found.map(({ Properties }) => Properties.ScheduleExpression)).toEqual(expressions);
  });
});

describe('the roles', () => {
  it('have no wildcard except for objects of the bucket and partitions, and no managed policy', () => {
    const policies = template.findResources('AWS::IAM::Policy');
    expect(Object.keys(policies)).toHaveLength(3);
    expect(JSON.stringify(policies).match(/[^"]*[*?][^"]*/g)).toEqual([
      '/events/*',
      '/quarantine/*',
      'feeds#*',
      'webhook#*',
      '/quarantine/*',
    ]);
    template.allResourcesProperties('AWS::IAM::Role', {
      ManagedPolicyArns: Match.absent(),
      Policies: Match.absent(),
    });
  });
});

describe('the environment of the poller', () => {
  /** The environment of the deployed function, with references resolved. */
  function environmentOf(from: Template): Record<string, string> {
    const { properties } = onlyResource(
      from,
      'AWS::Lambda::Function',
      /PollerFunction[^1-9]*[A-F]/,
    );
    const { Variables } = properties['Environment'] as { Variables: Record<string, unknown> };
    const deployed: Record<string, string> = {
      SITECAST_REFRESH_TOKEN_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:s-1',
      SITECAST_TABLE: 'table',
      SITECAST_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:topic',
      SITECAST_LARGE_EVENTS_BUCKET: 'large-events',
    };
    return Object.fromEntries(
      Object.entries(Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : (deployed[name] ?? `unresolved ${name}`),
      ]),
    );
  }

  it('carries the whole config of the poller', () => {
    expect(parseSettings(environmentOf(full))).toMatchObject({
      table: 'table',
      largeEventsBucket: 'large-events',
      ...pollerConfig.parse({ ...ADDRESSES, ...EVERYTHING }),
    });
  });
});
