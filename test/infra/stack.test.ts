import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { ConfigInvalidError } from '../../infra/config/config-invalid-error.ts';
import { makeStack, onlyResource, templateOf } from './synthesize.ts';

it('outputs the location of topic, secret, table, bucket and queues', () => {
  const template = templateOf();
  const ref = (type: string, id?: RegExp) => ({ Ref: onlyResource(template, type, id).id });
  const outputs = Object.entries(template.findOutputs('*'));
  expect(Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value]))).toEqual({
    TopicArn: ref('AWS::SNS::Topic', /NotifierTopic/),
    LogGroupName: ref('AWS::Logs::LogGroup', /PollerLogs/),
    ControlFunctionName: ref('AWS::Lambda::Function', /Control/),
    ControlLogGroupName: ref('AWS::Logs::LogGroup', /ControlLogs/),
    AlarmTopicArn: ref('AWS::SNS::Topic', /AlarmTopic/),
    RefreshTokenSecretArn: ref('AWS::SecretsManager::Secret'),
    LargeEventsBucket: ref('AWS::S3::Bucket'),
    TableName: ref('AWS::DynamoDB::Table'),
  });
});

it('warns at synthesis of fields that cannot work', () => {
  const { stack, remove } = makeStack({ serviceVersion: '2999-01-01' });
  const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
  remove();
  expect(warnings.map(({ entry }) => entry.data as string)).toEqual([
    expect.stringContaining('config.baseUrl "https://api.example.com" is a placeholder'),
    expect.stringContaining('config.authUrl "https://auth.example.com" is a placeholder'),
    expect.stringContaining('config.monitoring "basic" tells nobody of its alarms'),
  ]);
});

it.each([
  ['retain', true],
  ['destroy', false],
])('with removalPolicy %s, its protection from termination is %s', (removalPolicy, isProtected) => {
  const { stack, remove } = makeStack({ removalPolicy });
  remove();
  expect(stack.terminationProtection).toBe(isProtected);
});

it('refuses subscribers that make more resources than CloudFormation allows in a stack', () => {
  const subscribers = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ name: `queue-${n}`, protocol: 'sqs' },
      endpoint: `arn:aws:sqs:eu-central-1:210987654321:queue-${n}`,
    }));
  const resources = (count: number) => {
    const template = templateOf({ subscribers: subscribers(count) }).toJSON() as {
      readonly Resources: object;
    };
    return Object.keys(template.Resources).length;
  };
  const ofOne = resources(2) - resources(1);
  const most = 1 + Math.floor((500 - resources(1)) / ofOne);
  expect(resources(most)).toBeLessThanOrEqual(500);
  const tooMany = () => makeStack({ subscribers: subscribers(most + 1) });
  expect(tooMany).toThrow(ConfigInvalidError);
  expect(tooMany).toThrow(`notifier.test.subscribers has ${most + 1} entries`);
});
