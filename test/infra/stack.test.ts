import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
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
    expect.stringContaining('config.monitoring "basic" sends its alarms to nobody'),
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
