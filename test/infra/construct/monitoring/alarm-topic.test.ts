import { describe, expect, it } from 'vitest';
import { onlyResource, statementsOf, templateOf } from '../../synthesize.ts';

const alarmEmail = 'operator@builder.eu';
const template = templateOf({ alarmEmail });

describe('the alarm topic', () => {
  it('has no key, which CloudWatch could not use, and admits this account’s alarms by TLS only', () => {
    const { properties } = onlyResource(template, 'AWS::SNS::Topic', /AlarmTopic/);
    expect(properties).toEqual({});
    const [deny, allow, ...others] = statementsOf(template, 'AWS::SNS::TopicPolicy', /AlarmTopic/);
    expect(others).toEqual([]);
    expect(deny).toMatchObject({
      Effect: 'Deny',
      Action: 'sns:Publish',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    expect(allow).toMatchObject({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(JSON.stringify(allow?.Condition)).toContain(':alarm:*');
  });

  it('sends to the configured address', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: alarmEmail,
      TopicArn: { Ref: onlyResource(template, 'AWS::SNS::Topic', /AlarmTopic/).id },
    });
    const subscriptions = templateOf().findResources('AWS::SNS::Subscription');
    expect(subscriptions).toEqual({});
  });
});
