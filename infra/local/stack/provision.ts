import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/lambda-host.ts';
import type { Clients } from './clients.ts';
import {
  CREATORS,
  type CreateContext,
  type DesiredResource,
  type StandIn,
} from './create-resource.ts';
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

/** Types of resources that hold nothing: a deployment replaces them. */
const COMPUTE_TYPES = [
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Scheduler::Schedule',
];

/**
 * Creates the template's resources on the embedded services, in the order of their references.
 *
 * @param existing resources of an earlier deployment of the stack, which are kept; functions, their
 *   mappings and schedules are replaced.
 * @throws TemplateError naming the resource type, property, condition or intrinsic function that
 *   the local stack does not support.
 */
export async function provision(
  assembly: Assembly,
  clients: Clients,
  existing: Provisioned['resources'] = new Map(),
): Promise<Provisioned> {
  const resources = new Map<string, ProvisionedResource>();
  const context: CreateContext = {
    clients,
    assetDirectory: (s3Key) => assembly.assetDirectory(s3Key),
    ...{ functions: [], mappings: [], schedules: [], standIns: [] },
  };
  for (const [logicalId, { Type: type, Properties = {} }] of orderByDependency(assembly.template)) {
    const kept = existing.get(logicalId);
    if (kept?.type === type && !COMPUTE_TYPES.includes(type)) {
      resources.set(logicalId, kept);
      continue;
    }
    const path = `${logicalId} (${type})`;
    const desired = { logicalId, path, properties: resolveValue(Properties, resources, path) };
    resources.set(logicalId, { logicalId, type, ...(await create(type, desired, context)) });
  }
  const outputs = Object.entries(assembly.template.Outputs ?? {}).map(([name, { Value }]) => [
    name,
    String(resolveValue(Value, resources, `output ${name}`)),
  ]);
  const { functions, mappings, schedules, standIns } = context;
  return {
    ...{ resources, functions, mappings, schedules, standIns },
    outputs: Object.fromEntries(outputs) as Record<string, string>,
  };
}

async function create(
  type: string,
  desired: DesiredResource,
  context: CreateContext,
): Promise<CreatedResource> {
  const creator = CREATORS[type];
  if (creator !== undefined) return creator(desired, context);
  const supported = Object.keys(CREATORS).sort().join(', ');
  throw new TemplateError(
    `${desired.path}: the local stack does not support this type; it supports ${supported}`,
  );
}
