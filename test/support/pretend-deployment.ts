import type { Template as Synthesized } from 'aws-cdk-lib/assertions';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../infra/local/embedded/endpoints.ts';
import type { ProvisionedResource, Template } from '../../infra/local/stack/resolve-template.ts';

const arn = (service: string, name: string): string =>
  `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${name}`;

/** What the resources of a type are called by `Ref` and as ARN, if the template asks for that. */
const NAMES: Readonly<
  Record<string, (id: string) => { ref?: string; arn: string; attributes?: object }>
> = {
  'AWS::DynamoDB::Table': (id) => ({ arn: arn('dynamodb', `table/${id}`) }),
  'AWS::IAM::Role': (id) => ({ arn: `arn:aws:iam::${LOCAL_ACCOUNT}:role/${id}` }),
  'AWS::Lambda::EventSourceMapping': (id) => ({
    ...{ arn: arn('lambda', `event-source-mapping:${id}`) },
    attributes: { EventSourceMappingArn: arn('lambda', `event-source-mapping:${id}`) },
  }),
  'AWS::Lambda::Function': (id) => ({ arn: arn('lambda', `function:${id}`) }),
  'AWS::Logs::LogGroup': (id) => ({ arn: arn('logs', `log-group:${id}:*`) }),
  'AWS::S3::Bucket': (id) => ({ arn: `arn:aws:s3:::${id.toLowerCase()}` }),
  'AWS::SNS::Topic': (id) => ({ ref: arn('sns', id), arn: arn('sns', id) }),
  'AWS::SQS::Queue': (id) => ({ ref: `https://sqs/${id}`, arn: arn('sqs', id) }),
  'AWS::SecretsManager::Secret': (id) => ({
    ...{ ref: arn('secretsmanager', `secret:${id}-AbCdEf`) },
    arn: arn('secretsmanager', `secret:${id}-AbCdEf`),
  }),
};

/** A template as if deployed: resources have names, so that policies can be asked. */
export function pretendDeployment(synthesized: Synthesized) {
  const template = synthesized.toJSON() as Template;
  const resources = Object.entries(template.Resources).map(([logicalId, { Type: type }]) => {
    const { ref = logicalId, arn: Arn, attributes } = NAMES[type]?.(logicalId) ?? { arn: '' };
    const named = { logicalId, type, ref, attributes: { Arn, ...attributes } };
    return [logicalId, named] as const;
  });
  return { template, provisioned: { resources: new Map<string, ProvisionedResource>(resources) } };
}
