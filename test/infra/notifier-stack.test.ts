import { expect, it } from 'vitest';
import { onlyResource, templateOf } from './synthesize.ts';

it('outputs the location of topic, secret, table, bucket and queues', () => {
  const template = templateOf();
  const ref = (type: string, id?: RegExp) => ({ Ref: onlyResource(template, type, id).id });
  const outputs = Object.entries(template.findOutputs('*'));
  expect(Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value]))).toEqual({
    TopicArn: ref('AWS::SNS::Topic'),
    RefreshTokenSecretArn: ref('AWS::SecretsManager::Secret'),
    LargeEventsBucket: ref('AWS::S3::Bucket'),
    TableName: ref('AWS::DynamoDB::Table'),
    QuarantineUrl: ref('AWS::SQS::Queue', /Quarantine/),
    FailuresUrl: ref('AWS::SQS::Queue', /Failures/),
  });
});
