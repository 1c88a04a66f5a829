/**
 * Creates the resources of the synthesized template on the embedded services, one function a type.
 * Properties without a counterpart there (encryption, expiry, access) have no effect.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  CreateTableCommand,
  waitUntilTableExists,
  type CreateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../embedded/endpoints.ts';
import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Clients } from './clients.ts';
import { TemplateError, type CreatedResource } from './resolve-template.ts';
import type { DeclaredSchedule } from './ticker.ts';

/** A queue that receives what a declared subscriber outside this machine would receive. */
export interface StandIn {
  readonly protocol: string;
  /** ARN or URL of the subscriber. */
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly isRaw: boolean;
}

/** What resources are created with, and the places of those that the host runs. */
export interface CreateContext {
  readonly clients: Clients;
  /** Folder of the asset with the given S3 key. */
  readonly assetDirectory: (s3Key: string) => string;
  readonly functions: FunctionDefinition[];
  readonly mappings: MappingDefinition[];
  readonly schedules: DeclaredSchedule[];
  readonly standIns: StandIn[];
}

/** A resource of the template, its intrinsic functions resolved. */
export interface DesiredResource {
  readonly logicalId: string;
  readonly properties: unknown;
  /** Names the resource in errors. */
  readonly path: string;
}

type Creator = (desired: DesiredResource, context: CreateContext) => Promise<CreatedResource>;

/** Lambda's name for the Node version of this process. */
const RUNTIME = `nodejs${process.versions.node.split('.', 1).join()}.x`;
/** Characters of a bucket's name. */
const MAX_BUCKET_NAME = 63;

const text = z.string();
/** Templates may quote numbers and booleans. */
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const flag = z.union([z.boolean(), z.stringbool()]);

/** @throws TemplateError naming the resource and its property. */
function read<T>(schema: z.ZodType<T>, { properties, path }: DesiredResource): T {
  const result = schema.safeParse(properties);
  if (result.success) return result.data;
  throw new TemplateError(
    `${path}: the local stack cannot create this: ${z.prettifyError(result.error)}`,
  );
}

function arnOf(service: string, resource: string): string {
  const region = service === 'iam' ? '' : LOCAL_REGION;
  return `arn:aws:${service}:${region}:${LOCAL_ACCOUNT}:${resource}`;
}

/** Attributes of SNS and SQS are texts, with objects as JSON. */
function attributesOf(
  properties: Readonly<Record<string, string | number | boolean | object>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}

/** The name that the template gives, or one of the logical id. */
function nameOf(given: unknown, { logicalId }: DesiredResource, isFifo: unknown): string {
  if (typeof given === 'string') return given;
  return isFifo === true || isFifo === 'true' ? `${logicalId}.fifo` : logicalId;
}

/** The queue of the template that a resource reads. */
async function findQueueUrl(
  arn: string,
  { path }: DesiredResource,
  { clients }: CreateContext,
): Promise<string> {
  const [name = ''] = arn.split(':').slice(-1);
  const problem = `${path}: the local stack reads queues of the template only, and ${arn} is none`;
  if (arn !== arnOf('sqs', name)) throw new TemplateError(problem);
  const command = new GetQueueUrlCommand({ QueueName: name });
  const { QueueUrl = '' } = await clients.sqs.send(command).catch((error: unknown) => {
    throw new TemplateError(problem, { cause: error });
  });
  return QueueUrl;
}

const properties = z.record(text, z.union([scalar, z.looseObject({}), z.array(z.unknown())]));

const createTable: Creator = async (desired, { clients }) => {
  const { TableName: name = desired.logicalId, ...table } = read(
    z.object({
      TableName: text.optional(),
      KeySchema: z.unknown(),
      AttributeDefinitions: z.unknown(),
      BillingMode: z.unknown(),
    }),
    desired,
  );
  const input = { ...table, TableName: name } as CreateTableCommandInput;
  await clients.dynamodb.send(new CreateTableCommand(input));
  await waitUntilTableExists(
    { client: clients.dynamodb, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.5 },
    { TableName: name },
  );
  return { ref: name, attributes: { Arn: arnOf('dynamodb', `table/${name}`) } };
};

const createBucket: Creator = async (desired, { clients }) => {
  const { BucketName } = read(z.object({ BucketName: text.optional() }), desired);
  const name = BucketName ?? desired.logicalId.toLowerCase().slice(-MAX_BUCKET_NAME);
  await clients.s3.send(new CreateBucketCommand({ Bucket: name }));
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } };
};

/** Empty unless the template generates a value. */
const createSecret: Creator = async (desired, { clients }) => {
  const { Name = desired.logicalId, GenerateSecretString: generate } = read(
    z.object({
      Name: text.optional(),
      GenerateSecretString: z
        .object({
          SecretStringTemplate: text,
          GenerateStringKey: text,
          PasswordLength: z.coerce.number(),
          // The only kind of password that is generated here.
          ExcludePunctuation: z.literal(true),
        })
        .optional(),
    }),
    desired,
  );
  const password = randomBytes(512).toString('base64').replaceAll(/\W/g, '');
  const SecretString =
    generate &&
    JSON.stringify({
      ...(JSON.parse(generate.SecretStringTemplate) as object),
      [generate.GenerateStringKey]: password.slice(0, generate.PasswordLength),
    });
  const { ARN = '' } = await clients.secretsManager.send(
    new CreateSecretCommand({ Name, SecretString }),
  );
  return { ref: ARN, attributes: { Id: ARN } };
};

const createTopic: Creator = async (desired, { clients }) => {
  // The embedded topic takes 256 KiB. What it refuses for its size follows as a claim check.
  const { TopicName, MaximumMessageSize, Tags, ...rest } = read(properties.default({}), desired);
  const name = nameOf(TopicName, desired, rest['FifoTopic']);
  const { TopicArn = '' } = await clients.sns.send(
    new CreateTopicCommand({ Name: name, Attributes: attributesOf(rest) }),
  );
  return { ref: TopicArn, attributes: { TopicArn, TopicName: name } };
};

const createQueue: Creator = async (desired, { clients }) => {
  const { QueueName, Tags, ...rest } = read(properties.default({}), desired);
  const name = nameOf(QueueName, desired, rest['FifoQueue']);
  const { QueueUrl = '' } = await clients.sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributesOf(rest) }),
  );
  return { ref: QueueUrl, attributes: { Arn: arnOf('sqs', name), QueueName: name, QueueUrl } };
};

/**
 * Subscribes the endpoint if it is a local queue. Otherwise a queue stands in for it: the embedded
 * topic delivers to its own queues only. An endpoint has one such queue, so that the topic refuses
 * a second subscription of the endpoint with other attributes, as SNS does. E-mail is left out.
 */
const createSubscription: Creator = async (desired, { clients, standIns }) => {
  const { TopicArn, Protocol, Endpoint, Region, ...rest } = read(
    z
      .object({
        TopicArn: text,
        Protocol: z.enum(['sqs', 'lambda', 'https', 'firehose', 'email']),
        Endpoint: text,
      })
      .catchall(z.union([scalar, z.looseObject({})])),
    desired,
  );
  if (Protocol === 'email') return { ref: `${TopicArn}:email`, attributes: {} };
  const isLocal = Protocol === 'sqs' && Endpoint.startsWith(arnOf('sqs', ''));
  const key = createHash('sha256').update(Endpoint).digest('hex').slice(0, 12);
  const isFifo = TopicArn.endsWith('.fifo');
  const name = `${Protocol}-${key}${isFifo ? '.fifo' : ''}`;
  if (!isLocal) {
    const Attributes = isFifo ? { FifoQueue: 'true' } : {};
    const { QueueUrl = '' } = await clients.sqs.send(
      new CreateQueueCommand({ QueueName: name, Attributes }),
    );
    const isRaw = [true, 'true'].includes(rest['RawMessageDelivery'] as boolean | string);
    standIns.push({ protocol: Protocol, endpoint: Endpoint, queueUrl: QueueUrl, isRaw });
  }
  const { SubscriptionArn = '' } = await clients.sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: isLocal ? Endpoint : arnOf('sqs', name),
      Attributes: attributesOf(rest),
    }),
  );
  return { ref: SubscriptionArn, attributes: { Arn: SubscriptionArn } };
};

const createFunction: Creator = (desired, { assetDirectory, functions }) => {
  const found = read(
    z.object({
      FunctionName: text.default(desired.logicalId),
      Code: z.object({ S3Key: text }),
      Environment: z.object({ Variables: z.record(text, scalar) }).optional(),
      Handler: text,
      LoggingConfig: z.object({ LogGroup: text.optional() }).optional(),
      MemorySize: z.coerce.number().default(128),
      Runtime: z.literal(RUNTIME, { error: `the local stack runs on ${RUNTIME}. Run npm start.` }),
      Timeout: z.coerce.number().default(3),
    }),
    desired,
  );
  const name = found.FunctionName;
  const codeDirectory = assetDirectory(found.Code.S3Key);
  const variables = Object.entries(found.Environment?.Variables ?? {}).map(([key, value]) => [
    key,
    // Where the code is on Lambda.
    String(value).replace(/^\/var\/task(?=\/)/, codeDirectory),
  ]);
  const arn = arnOf('lambda', `function:${name}`);
  functions.push({
    ...{ name, arn, codeDirectory, runtime: found.Runtime, handler: found.Handler },
    timeoutSeconds: found.Timeout,
    memoryMb: found.MemorySize,
    logGroup: found.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
    environment: Object.fromEntries(variables) as Record<string, string>,
  });
  return Promise.resolve({ ref: name, attributes: { Arn: arn } });
};

const createSchedule: Creator = (desired, { schedules }) => {
  const { Name, ScheduleExpression, Target } = read(
    z.object({
      Name: text.default(desired.logicalId),
      ScheduleExpression: text,
      Target: z.object({ Arn: text, Input: text.optional() }),
    }),
    desired,
  );
  schedules.push({
    name: Name,
    expression: ScheduleExpression,
    targetArn: Target.Arn,
    ...(Target.Input !== undefined && { input: Target.Input }),
  });
  return Promise.resolve({
    ref: Name,
    attributes: { Arn: arnOf('scheduler', `schedule/default/${Name}`) },
  });
};

/** Hands the messages of a queue to a function. */
const createMapping: Creator = async (desired, context) => {
  const found = read(
    z.object({
      EventSourceArn: text,
      FunctionName: text,
      BatchSize: z.coerce.number().int().min(1).max(10).default(10),
      Enabled: flag.default(true),
      FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
      ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number().optional() }).default({}),
    }),
    desired,
  );
  const { MaximumConcurrency: maxConcurrency } = found.ScalingConfig;
  // The same for each deployment of the template.
  const digest = createHash('sha256').update(desired.logicalId).digest('hex');
  const uuid = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  const arn = arnOf('lambda', `event-source-mapping:${uuid}`);
  context.mappings.push({
    ...{ uuid, arn },
    functionArn: found.FunctionName.startsWith('arn:')
      ? found.FunctionName
      : arnOf('lambda', `function:${found.FunctionName}`),
    queueArn: found.EventSourceArn,
    queueUrl: await findQueueUrl(found.EventSourceArn, desired, context),
    batchSize: found.BatchSize,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    hasItemFailures: found.FunctionResponseTypes.length > 0,
    isEnabled: found.Enabled,
  });
  return { ref: uuid, attributes: { Id: uuid, EventSourceMappingArn: arn } };
};

/** Leaves what a pipe would bring to a bus in its queue, which stands in for the bus. */
const createPipe: Creator = async (desired, context) => {
  const { Name, Source, Target } = read(
    z.object({ Name: text.default(desired.logicalId), Source: text, Target: text }),
    desired,
  );
  const queueUrl = await findQueueUrl(Source, desired, context);
  context.standIns.push({ protocol: 'eventBridge', endpoint: Target, queueUrl, isRaw: true });
  return { ref: Name, attributes: { Arn: arnOf('pipes', `pipe/${Name}`) } };
};

/** A type without a counterpart: permissions, logs, alarms. Others refer to its ARN. */
const ignore =
  (service: string, prefix: string, suffix = ''): Creator =>
  ({ logicalId }) =>
    Promise.resolve({
      ref: logicalId,
      attributes: { Arn: arnOf(service, `${prefix}${logicalId}${suffix}`) },
    });

/** How resources are created, by their CloudFormation type. */
export const CREATORS: Readonly<Record<string, Creator>> = {
  'AWS::DynamoDB::GlobalTable': createTable,
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
  'AWS::CDK::Metadata': ignore('cdk', ''),
  'AWS::CloudWatch::Alarm': ignore('cloudwatch', 'alarm:'),
  'AWS::CloudWatch::Dashboard': ignore('cloudwatch', 'dashboard:'),
  'AWS::IAM::Policy': ignore('iam', 'policy/'),
  'AWS::IAM::Role': ignore('iam', 'role/'),
  'AWS::Lambda::EventInvokeConfig': ignore('lambda', 'config:'),
  'AWS::Lambda::Permission': ignore('lambda', 'permission:'),
  'AWS::Logs::LogGroup': ignore('logs', 'log-group:', ':*'),
  'AWS::S3::BucketPolicy': ignore('s3', 'policy/'),
  'AWS::SNS::TopicPolicy': ignore('sns', 'policy/'),
  'AWS::SQS::QueuePolicy': ignore('sqs', 'policy/'),
  'AWS::Scheduler::ScheduleGroup': ignore('scheduler', 'schedule-group/'),
};
