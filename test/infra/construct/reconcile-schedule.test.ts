import { describe, expect, it } from 'vitest';
import { onlyResource, statementsOf, templateOf } from '../synthesize.ts';

const template = templateOf({ reconcile: { schedule: 'weekly' } });

describe('the schedule of reconciliations', () => {
  it('is there only if it is configured', () => {
    const isOfReconcile = (id: string): boolean => id.includes('Reconcile');
    for (const type of ['AWS::Scheduler::Schedule', 'AWS::IAM::Role']) {
      expect(Object.keys(templateOf().findResources(type)).filter(isOfReconcile)).toEqual([]);
    }
  });

  it('has the control function reconcile all lists, without a retry', () => {
    const { properties } = onlyResource(template, 'AWS::Scheduler::Schedule', /Reconcile/);
    const control = onlyResource(template, 'AWS::Lambda::Function', /Control/).id;
    expect(properties).toMatchObject({
      ScheduleExpression: 'rate(7 days)',
      State: 'ENABLED',
      Target: {
        Arn: { 'Fn::GetAtt': [control, 'Arn'] },
        Input: '{"command":"reconcile","scope":{}}',
        RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
      },
    });
  });

  it.each([
    ['daily', 'rate(1 day)'],
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

  it('has a role of its own, which may invoke the control function and nothing else', () => {
    const statements = statementsOf(template, 'AWS::IAM::Policy', /ReconcileRole/);
    expect(statements.map(({ Action }) => Action)).toEqual(['lambda:InvokeFunction']);
  });

  it('is not repeated when it fails: the next time is the retry', () => {
    const invocations = onlyResource(template, 'AWS::Lambda::EventInvokeConfig', /Control/);
    expect(invocations.properties).toMatchObject({ MaximumRetryAttempts: 0 });
  });
});
