import { Match } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { FORMER, SURROUNDINGS } from '../../support/config-samples.ts';
import { onlyResource, synthesizeStack, templateOf } from '../synthesize.ts';

const { kmsKeyArn } = SURROUNDINGS;

describe('a stage that is not enabled', () => {
  it('has a schedule that starts nothing, and is the same otherwise', () => {
    // An alarm of a stage that is switched off is silent: see the tests of the alarms.
    const monitoring = 'off';
    const disabled = templateOf({ monitoring, enabled: false }).toJSON() as Resources;
    const unwatched = templateOf({ monitoring });
    const enabled = unwatched.toJSON() as Resources;
    const { id } = onlyResource(unwatched, 'AWS::Scheduler::Schedule');
    expect(disabled.Resources[id]?.Properties['State']).toBe('DISABLED');
    expect(enabled.Resources[id]?.Properties['State']).toBe('ENABLED');
    const { State, ...rest } = enabled.Resources[id]?.Properties ?? {};
    expect(disabled.Resources[id]?.Properties).toEqual({ ...rest, State: 'DISABLED' });
    expect({ ...disabled.Resources, [id]: 0 }).toEqual({ ...enabled.Resources, [id]: 0 });
  });
});

describe('an own key', () => {
  it('may decrypt large events for whoever may read them', () => {
    const template = synthesizeStack({ kmsKeyArn }, ({ notifier }) => {
      const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
      notifier.grantReadLargeEvents(new Role(notifier, 'Reader', { assumedBy }));
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          { Effect: 'Allow', Action: 'kms:Decrypt', Resource: kmsKeyArn },
        ]),
      },
    });
    expect(() =>
      synthesizeStack({ kmsKeyArn }, ({ notifier }) => {
        notifier.grantReadLargeEvents(new AccountPrincipal('210987654321'));
      }),
    ).not.toThrow();
  });
});

describe('a table and a secret of a former stack', () => {
  const template = templateOf(FORMER);

  it('are used, and not made', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    template.resourceCountIs('AWS::SecretsManager::Secret', 0);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          SITECAST_TABLE: 'old-table',
          SITECAST_REFRESH_TOKEN_SECRET: FORMER.existingSecretArn,
        }),
      },
    });
    expect(template.toJSON()).toMatchObject({
      Outputs: {
        TableName: { Value: 'old-table' },
        RefreshTokenSecretArn: { Value: FORMER.existingSecretArn },
      },
    });
  });
});

describe('the schedule of reconciliations', () => {
  it.each([
    ['daily', 'rate(1 day)'],
    ['weekly', 'rate(7 days)'],
    ['rate(12 hours)', 'rate(12 hours)'],
    ['cron(0 3 ? * SUN *)', 'cron(0 3 ? * SUN *)'],
  ])('is, for %s, %s', (schedule, expression) => {
    templateOf({ reconcile: { schedule } }).hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: expression,
    });
  });

  it('rests while polling is switched off', () => {
    templateOf({ reconcile: { schedule: 'daily' }, enabled: false }).allResourcesProperties(
      'AWS::Scheduler::Schedule',
      { State: 'DISABLED' },
    );
  });
});

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface Resources {
  readonly Resources: Readonly<Record<string, Resource>>;
}
