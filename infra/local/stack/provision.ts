import type { Clients } from '../embedded/clients.ts';
import type { MappingDefinition } from '../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../lambda/lambda-function.ts';
import { createResource } from './create-resource.ts';
import type { DeclaredSchedule, StubQueue } from './creator.ts';
import { orderByReference, resolveValue, type ProvisionedResource } from './resolve-template.ts';
import type { Assembly } from './synthesize.ts';

/** The resources of the template, and those that the host runs. */
export interface Provisioned {
  readonly resources: ReadonlyMap<string, ProvisionedResource>;
  readonly functions: readonly FunctionDefinition[];
  readonly mappings: readonly MappingDefinition[];
  readonly schedules: readonly DeclaredSchedule[];
  readonly stubQueues: readonly StubQueue[];
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
 * @throws TemplateError naming what the local stack does not support.
 */
export async function provision(
  { template, assetDirectory }: Pick<Assembly, 'template' | 'assetDirectory'>,
  clients: Clients,
  existing: Provisioned['resources'] = new Map(),
): Promise<Provisioned> {
  const resources = new Map<string, ProvisionedResource>();
  const run = { functions: [], mappings: [], schedules: [], stubQueues: [] };
  for (const [logicalId, { Type: type, Properties = {} }] of orderByReference(template)) {
    const kept = COMPUTE_TYPES.includes(type) ? undefined : existing.get(logicalId);
    const properties = resolveValue(Properties, resources);
    const context = { clients, assetDirectory, resources, ...run };
    const created = kept ?? (await createResource(type, logicalId, properties, context));
    resources.set(logicalId, { logicalId, type, ...created });
  }
  const outputs = Object.entries(template.Outputs ?? {}).map(
    ([name, { Value }]) => [name, String(resolveValue(Value, resources))] as const,
  );
  return { resources, ...run, outputs: Object.fromEntries(outputs) };
}
