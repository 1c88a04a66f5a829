import * as z from 'zod';
import type { LocalStack } from '../../../infra/local/stack/local-stack.ts';
import type { ProvisionedResource } from '../../../infra/local/stack/provision.ts';
import { resolveValue } from '../../../infra/local/stack/resolve-template.ts';
import type { AccessRequest } from './access-request.ts';

/** One action that is allowed on one resource, either with wildcards where the policy has them. */
export interface Grant extends AccessRequest {
  readonly condition?: Readonly<Record<string, unknown>>;
}

/** A role, and all that its policies allow. */
export interface Role {
  readonly arn: string;
  /** A statement for several actions and resources is as many grants. */
  readonly grants: readonly Grant[];
}

/** Policy documents of resources, by the resource's ARN. */
export type ResourcePolicies = ReadonlyMap<string, unknown>;

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** Strict: what else a statement may say, as `NotAction` or `Deny`, is not among the grants. */
const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.literal('Allow'),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.unknown()).optional(),
});

const Policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(Statement) }),
  Roles: z.array(z.string()).default([]),
});

/** Strict: managed policies and boundaries would allow or deny what is not in the template. */
const RoleProperties = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Description: z.string().optional(),
  Policies: z.array(Policy).default([]),
});

/** The role that the poller runs as. */
export function pollerRole(stack: LocalStack): Role {
  const poller = findResource(
    stack,
    ({ attributes }) => attributes['Arn'] === stack.schedule.targetArn,
  );
  const { Role: arn } = z.object({ Role: z.string() }).parse(propertiesOf(stack, poller));
  const role = findResource(stack, ({ attributes }) => attributes['Arn'] === arn);
  const { Policies: inline } = RoleProperties.parse(propertiesOf(stack, role));
  const attached = allOf(stack, 'AWS::IAM::Policy')
    .map((policy) => Policy.parse(propertiesOf(stack, policy)))
    .filter(({ Roles }) => Roles.includes(role.ref));
  const statements = [...inline, ...attached].flatMap((policy) => policy.PolicyDocument.Statement);
  return { arn, grants: statements.flatMap(grantsOf) };
}

function grantsOf({ Action, Resource, Condition }: z.output<typeof Statement>): Grant[] {
  const condition = Condition && { condition: Condition };
  return Action.flatMap((action) =>
    Resource.map((resource) => ({ action, resource, ...condition })),
  );
}

const QueuePolicy = z.object({ Queues: z.array(z.string()), PolicyDocument: z.unknown() });
const BucketPolicy = z.object({ Bucket: z.string(), PolicyDocument: z.unknown() });
const TopicPolicy = z.object({ Topics: z.array(z.string()), PolicyDocument: z.unknown() });

/** The policies of the topic, the queues and the bucket. */
export function resourcePolicies(stack: LocalStack): ResourcePolicies {
  const ofQueues = allOf(stack, 'AWS::SQS::QueuePolicy').flatMap((resource) => {
    const { Queues, PolicyDocument } = QueuePolicy.parse(propertiesOf(stack, resource));
    return Queues.map((url) => {
      const queue = findResource(stack, ({ ref }) => ref === url);
      return [queue.attributes['Arn'] ?? '', PolicyDocument] as const;
    });
  });
  const ofTopics = allOf(stack, 'AWS::SNS::TopicPolicy').flatMap((resource) => {
    const { Topics, PolicyDocument } = TopicPolicy.parse(propertiesOf(stack, resource));
    return Topics.map((arn) => [arn, PolicyDocument] as const);
  });
  const ofBuckets = allOf(stack, 'AWS::S3::BucketPolicy').map((resource) => {
    const { Bucket, PolicyDocument } = BucketPolicy.parse(propertiesOf(stack, resource));
    const bucket = findResource(stack, ({ ref }) => ref === Bucket);
    return [bucket.attributes['Arn'] ?? '', PolicyDocument] as const;
  });
  return new Map([...ofQueues, ...ofTopics, ...ofBuckets]);
}

/** The template's resources of one type. */
function allOf({ provisioned }: LocalStack, type: string): ProvisionedResource[] {
  return [...provisioned.resources.values()].filter((resource) => resource.type === type);
}

function findResource(
  { provisioned }: LocalStack,
  isWanted: (resource: ProvisionedResource) => boolean,
): ProvisionedResource {
  const found = [...provisioned.resources.values()].find(isWanted);
  if (!found) throw new TypeError('the template lacks a resource that its policies are about');
  return found;
}

function propertiesOf(stack: LocalStack, { logicalId }: ProvisionedResource): unknown {
  const properties = stack.template.Resources[logicalId]?.Properties;
  return resolveValue(properties, stack.provisioned.resources, logicalId);
}
