import { LOCAL_ACCOUNT, LOCAL_REGION } from '../embedded/endpoints.ts';
import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Clients } from './clients.ts';
import { createFunction, createSchedule } from './provisioners/compute.ts';
import { createMapping } from './provisioners/event-source-mapping.ts';
import { createQueue, createSubscription, createTopic } from './provisioners/messaging.ts';
import { createPipe } from './provisioners/pipe.ts';
import type { Provisioner, StandIn } from './provisioners/provisioner.ts';
import { createSecret } from './provisioners/secret.ts';
import { createBucket } from './provisioners/storage.ts';
import { createTable } from './provisioners/table.ts';
import {
  orderByDependency,
  resolveValue,
  TemplateError,
  type CreatedResource,
} from './resolve-template.ts';
import type { Assembly } from './synthesize.ts';
import type { DeclaredSchedule } from './ticker.ts';

/** A resource of the template, created on the embedded services. */
export interface ProvisionedResource extends CreatedResource {
  readonly logicalId: string;
  /** CloudFormation type: `AWS::SQS::Queue`. */
  readonly type: string;
}

export interface Provisioned {
  /** By logical id. */
  readonly resources: ReadonlyMap<string, ProvisionedResource>;
  readonly functions: readonly FunctionDefinition[];
  readonly mappings: readonly MappingDefinition[];
  readonly schedules: readonly DeclaredSchedule[];
  readonly standIns: readonly StandIn[];
  /** Resolved outputs, by name. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Resource types that are created on the embedded services or run by the host. */
const PROVISIONERS: Readonly<Record<string, Provisioner>> = {
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
};

/** Types of resources that hold nothing. */
const COMPUTE_TYPES = [
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Scheduler::Schedule',
];

/**
 * Resource types without a counterpart among the embedded services (permissions, logs, retries),
 * with the attributes that other resources refer to. Their conditions are ignored too.
 */
const IGNORED_TYPES: Readonly<Record<string, (name: string) => Record<string, string>>> = {
  'AWS::CDK::Metadata': () => ({}),
  'AWS::CloudWatch::Alarm': (name) => ({
    Arn: `arn:aws:cloudwatch:${LOCAL_REGION}:${LOCAL_ACCOUNT}:alarm:${name}`,
  }),
  'AWS::CloudWatch::Dashboard': () => ({}),
  'AWS::IAM::Policy': () => ({}),
  'AWS::IAM::Role': (name) => ({ Arn: `arn:aws:iam::${LOCAL_ACCOUNT}:role/${name}` }),
  'AWS::Lambda::EventInvokeConfig': () => ({}),
  'AWS::Lambda::Permission': () => ({}),
  'AWS::Logs::LogGroup': (name) => ({
    Arn: `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${name}:*`,
  }),
  'AWS::S3::BucketPolicy': () => ({}),
  'AWS::SNS::TopicPolicy': () => ({}),
  'AWS::Scheduler::ScheduleGroup': (name) => ({
    Arn: `arn:aws:scheduler:${LOCAL_REGION}:${LOCAL_ACCOUNT}:schedule-group/${name}`,
  }),
  'AWS::SQS::QueuePolicy': () => ({}),
};

/**
 * Creates the template's resources on the embedded services, in the order of their references.
 *
 * @param existing resources of an earlier deployment of the stack, which are kept; functions, their mappings
 *   and schedules are replaced.
 * @throws TemplateError naming the resource type, property, condition or intrinsic function that
 *   the local stack does not support.
 */
export async function provision(
  assembly: Assembly,
  clients: Clients,
  existing: Provisioned['resources'] = new Map(),
): Promise<Provisioned> {
  const functions: FunctionDefinition[] = [];
  const mappings: MappingDefinition[] = [];
  const schedules: DeclaredSchedule[] = [];
  const standIns: StandIn[] = [];
  const resources = new Map<string, ProvisionedResource>();
  const context = {
    clients,
    assetDirectory: (s3Key: string) => assembly.assetDirectory(s3Key),
    addFunction: (definition: FunctionDefinition) => void functions.push(definition),
    addMapping: (definition: MappingDefinition) => void mappings.push(definition),
    addSchedule: (schedule: DeclaredSchedule) => void schedules.push(schedule),
    addStandIn: (standIn: StandIn) => void standIns.push(standIn),
  };
  for (const [logicalId, resource] of orderByDependency(assembly.template)) {
    const type = resource.Type;
    const path = `${logicalId} (${type})`;
    const attributes = IGNORED_TYPES[type]?.(logicalId);
    if (attributes) {
      resources.set(logicalId, { logicalId, type, ref: logicalId, attributes });
      continue;
    }
    if (resource.Condition !== undefined) {
      throw new TemplateError(
        `${path}: the local stack cannot evaluate the condition ${resource.Condition}`,
      );
    }
    const kept = existing.get(logicalId);
    if (kept?.type === type && !COMPUTE_TYPES.includes(type)) {
      resources.set(logicalId, kept);
      continue;
    }
    const create = PROVISIONERS[type];
    if (!create) throw unknownType(path);
    const properties = resolveValue(resource.Properties ?? {}, resources, path);
    const created = await create({ logicalId, properties, path }, context);
    resources.set(logicalId, { logicalId, type, ...created });
  }
  const outputs: Record<string, string> = {};
  for (const [name, { Value }] of Object.entries(assembly.template.Outputs ?? {})) {
    outputs[name] = String(resolveValue(Value, resources, `output ${name}`));
  }
  return { resources, functions, mappings, schedules, standIns, outputs };
}

function unknownType(path: string): TemplateError {
  const supported = [...Object.keys(PROVISIONERS), ...Object.keys(IGNORED_TYPES)].sort().join(', ');
  return new TemplateError(
    `${path}: the local stack does not support this type; it supports ${supported}`,
  );
}
