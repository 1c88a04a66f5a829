/**
 * Creates the resources of the synthesized template on the embedded services, one function a type.
 * Properties without a counterpart there (encryption, expiry, access) have no effect.
 */
import { randomBytes } from 'node:crypto';
import {
  CreateTableCommand,
  waitUntilTableExists,
  type CreateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../embedded/endpoints.ts';
import type { Attributes, CreateContext, Creator, Properties } from './creator.ts';
import { TemplateError, type CreatedResource } from './resolve-template.ts';

function arnOf(service: string, resource: string): string {
  const region = service === 'iam' ? '' : LOCAL_REGION;
  return `arn:aws:${service}:${region}:${LOCAL_ACCOUNT}:${resource}`;
}

/** Attributes of SNS and SQS are texts, with objects as JSON. */
function textsOf(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}

const createTable: Creator = async (id, properties, { clients }) => {
  const { KeySchema, AttributeDefinitions, BillingMode } =
    properties as unknown as CreateTableCommandInput;
  const { dynamodb } = clients;
  const input = { TableName: id, KeySchema, AttributeDefinitions, BillingMode };
  await dynamodb.send(new CreateTableCommand(input));
  const wait = { client: dynamodb, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.5 };
  await waitUntilTableExists(wait, { TableName: id });
  return { ref: id, attributes: { Arn: arnOf('dynamodb', `table/${id}`) } };
};

const createBucket: Creator = async (id, _, { clients }) => {
  // The maximum of S3.
  const name = id.toLowerCase().slice(-63);
  await clients.s3.send(new CreateBucketCommand({ Bucket: name }));
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } };
};

/** Empty unless the template generates a value. */
const createSecret: Creator = async (id, properties, { clients }) => {
  const { GenerateSecretString: generate } = properties;
  const password = randomBytes(512).toString('base64').replaceAll(/\W/g, '');
  const SecretString =
    generate &&
    JSON.stringify({
      ...(JSON.parse(generate.SecretStringTemplate) as object),
      [generate.GenerateStringKey]: password.slice(0, generate.PasswordLength),
    });
  const { ARN = '' } = await clients.secretsManager.send(
    new CreateSecretCommand({ Name: id, SecretString }),
  );
  return { ref: ARN, attributes: { Id: ARN } };
};

const createTopic: Creator = async (id, properties, { clients }) => {
  // The embedded topic takes 256 KiB. A larger event follows as a claim check.
  const { TopicName, MaximumMessageSize, ...attributes } = properties;
  const Name = typeof TopicName === 'string' ? TopicName : id;
  const { TopicArn = '' } = await clients.sns.send(
    new CreateTopicCommand({ Name, Attributes: textsOf(attributes) }),
  );
  return { ref: TopicArn, attributes: { TopicArn, TopicName: Name } };
};

const createQueue: Creator = async (id, properties, { clients }) => {
  const name = properties['FifoQueue'] === true ? `${id}.fifo` : id;
  const { QueueUrl = '' } = await clients.sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: textsOf(properties) }),
  );
  // Not every system resolves the host name that the service puts into the URL.
  const ref = clients.endpoints.sqs + new URL(QueueUrl).pathname;
  return { ref, attributes: { Arn: arnOf('sqs', name), QueueName: name, QueueUrl: ref } };
};

/**
 * Subscribes the endpoint if it is a queue of the template. Otherwise a stub queue receives its
 * messages: the embedded topic delivers to its own queues only. E-mail is left out.
 */
const createSubscription: Creator = async (id, properties, context) => {
  const { TopicArn, Protocol, Endpoint, Region, ...attributes } = properties;
  if (Protocol === 'email') return { ref: `${TopicArn}:email`, attributes: {} };
  let queueArn = Endpoint;
  let isRaw = attributes['RawMessageDelivery'] ?? false;
  if (!Endpoint.startsWith(arnOf('sqs', ''))) {
    const fifo = TopicArn.endsWith('.fifo') ? { FifoQueue: true } : {};
    const stub = await createQueue(`${id}Stub`, fifo as Properties, context);
    queueArn = stub.attributes['Arn'] ?? '';
    isRaw = true;
    const stubQueue = { protocol: Protocol, endpoint: Endpoint, queueUrl: stub.ref };
    context.stubQueues.push(stubQueue);
  }
  const { SubscriptionArn = '' } = await context.clients.sns.send(
    new SubscribeCommand({
      ...{ TopicArn, Protocol: 'sqs', Endpoint: queueArn },
      Attributes: textsOf({ ...attributes, RawMessageDelivery: isRaw }),
    }),
  );
  return { ref: SubscriptionArn, attributes: { Arn: SubscriptionArn } };
};

const createFunction: Creator = (name, properties, context) => {
  const { Code, Environment, Handler, LoggingConfig, MemorySize, Timeout } = properties;
  const codeDirectory = context.assetDirectory(Code.S3Key);
  const variables = Object.entries(Environment?.Variables ?? {}).map(
    // Where the code is on Lambda.
    ([key, value]) => [key, value.replace(/^\/var\/task(?=\/)/, codeDirectory)] as const,
  );
  const arn = arnOf('lambda', `function:${name}`);
  context.functions.push({
    ...{ name, arn, codeDirectory, handler: Handler },
    ...{ timeoutSeconds: Timeout, memoryMb: MemorySize, logGroup: LoggingConfig.LogGroup },
    environment: Object.fromEntries(variables),
  });
  return { ref: name, attributes: { Arn: arn } };
};

const createSchedule: Creator = (id, properties, { schedules }) => {
  const { ScheduleExpression: expression, Target } = properties;
  schedules.push({ expression, targetArn: Target.Arn });
  return { ref: id, attributes: { Arn: arnOf('scheduler', `schedule/default/${id}`) } };
};

const createMapping: Creator = (id, properties, context) => {
  const { EventSourceArn: queueArn, FunctionName, BatchSize: batchSize } = properties;
  context.mappings.push({
    ...{ uuid: id, queueArn, queueUrl: findQueueUrl(queueArn, context), batchSize },
    functionArn: arnOf('lambda', `function:${FunctionName}`),
  });
  const EventSourceMappingArn = arnOf('lambda', `event-source-mapping:${id}`);
  return { ref: id, attributes: { Id: id, EventSourceMappingArn } };
};

/** Leaves the events of a pipe in its queue, which is the stub of the bus. */
const createPipe: Creator = (id, { Source, Target }, context) => {
  const queueUrl = findQueueUrl(Source, context);
  const stubQueue = { protocol: 'eventBridge', endpoint: Target, queueUrl };
  context.stubQueues.push(stubQueue);
  return { ref: id, attributes: { Arn: arnOf('pipes', `pipe/${id}`) } };
};

/** The queue of the template that a resource reads. */
function findQueueUrl(arn: string, { resources }: CreateContext): string {
  const found = [...resources.values()].find(({ attributes }) => attributes['Arn'] === arn);
  if (found) return found.ref;
  throw new TemplateError(`The local stack reads queues of the template only, and ${arn} is none`);
}

/** Types without a counterpart: permissions, logs, alarms. Others may refer to the ARN. */
const IGNORED =
  /^AWS::(IAM|Logs|CloudWatch|CDK)::|Policy$|::(ScheduleGroup|Permission|EventInvokeConfig)$/;

const CREATORS: Readonly<Record<string, Creator>> = {
  'AWS::DynamoDB::Table': createTable,
  'AWS::Lambda::EventSourceMapping': createMapping,
  'AWS::Lambda::Function': createFunction,
  'AWS::Pipes::Pipe': createPipe,
  'AWS::S3::Bucket': createBucket,
  'AWS::SNS::Subscription': createSubscription,
  'AWS::SNS::Topic': createTopic,
  'AWS::SQS::Queue': createQueue,
  'AWS::Scheduler::Schedule': createSchedule,
  'AWS::SecretsManager::Secret': createSecret,
};

/** @throws TemplateError if the local stack does not support the type. */
export async function createResource(
  type: string,
  id: string,
  properties: unknown,
  context: CreateContext,
): Promise<CreatedResource> {
  const create = CREATORS[type];
  if (create) return create(id, properties as Properties, context);
  if (!IGNORED.test(type)) {
    throw new TemplateError(`The local stack does not support ${id}, a ${type}`);
  }
  const [, service = '', kind = ''] = type.toLowerCase().split('::');
  const name = kind === 'loggroup' ? `log-group:${id}:*` : `${kind}/${id}`;
  return { ref: id, attributes: { Arn: arnOf(service, name) } };
}
