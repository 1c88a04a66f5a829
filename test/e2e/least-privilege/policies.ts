import * as z from 'zod';
import { LOCAL_ACCOUNT } from '../../../infra/local/embedded/endpoints.ts';
import type { LocalStack } from '../../../infra/local/stack/local-stack.ts';
import {
  resolveValue,
  type ProvisionedResource,
} from '../../../infra/local/stack/resolve-template.ts';
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

/** A key leaves it to the roles of its account unless its owner says otherwise. */
export const KEY_POLICY = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${LOCAL_ACCOUNT}:root` },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
};

/** A stack that stands somewhere, or is pretended to. */
export interface Deployed extends Pick<LocalStack, 'template'> {
  readonly provisioned: Pick<LocalStack['provisioned'], 'resources'>;
}

/** The role that a function runs as. */
export function roleOf(stack: Deployed, functionArn: string): Role {
  const isWanted = ({ attributes }: ProvisionedResource) => attributes['Arn'] === functionArn;
  const { Role: arn } = z
    .object({ Role: z.string() })
    .parse(propertiesOf(stack, findResource(stack, isWanted)));
  return roleNamed(stack, arn);
}

/** The role with an ARN. */
export function roleNamed(stack: Deployed, arn: string): Role {
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

/** Types of resource policies, with the property that names the resources. */
const POLICY_TARGETS = {
  'AWS::SQS::QueuePolicy': 'Queues',
  'AWS::SNS::TopicPolicy': 'Topics',
  'AWS::S3::BucketPolicy': 'Bucket',
};

const ResourcePolicy = z.looseObject({ PolicyDocument: z.unknown() });

/** The policies of the topic, the queues and the bucket. */
export function resourcePolicies(stack: Deployed): ResourcePolicies {
  const policies = Object.entries(POLICY_TARGETS).flatMap(([type, property]) =>
    allOf(stack, type).flatMap((policy) => {
      const properties = ResourcePolicy.parse(propertiesOf(stack, policy));
      const targets = texts.parse(properties[property]);
      return targets.map((target) => {
        const { attributes } = findResource(stack, ({ ref }) => ref === target);
        return [attributes['Arn'] ?? target, properties.PolicyDocument] as const;
      });
    }),
  );
  return new Map(policies);
}

/** The template's resources of one type. */
function allOf({ provisioned }: Deployed, type: string): ProvisionedResource[] {
  return [...provisioned.resources.values()].filter((resource) => resource.type === type);
}

function findResource(
  { provisioned }: Deployed,
  isWanted: (resource: ProvisionedResource) => boolean,
): ProvisionedResource {
  const found = [...provisioned.resources.values()].find(isWanted);
  if (!found) throw new TypeError('the template lacks a resource that its policies are about');
  return found;
}

function propertiesOf(stack: Deployed, { logicalId }: ProvisionedResource): unknown {
  const properties = stack.template.Resources[logicalId]?.Properties;
  return resolveValue(properties, stack.provisioned.resources);
}
