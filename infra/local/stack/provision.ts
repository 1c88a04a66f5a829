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

/**
 * Creates the template's resources on the embedded services, in the order of their references.
 *
 * @throws TemplateError naming an unsupported resource.
 */
export async function provision(
  { template, assetDirectory }: Pick<Assembly, 'template' | 'assetDirectory'>,
  clients: Clients,
): Promise<Provisioned> {
  const resources = new Map<string, ProvisionedResource>();
  const run = { functions: [], mappings: [], schedules: [], stubQueues: [] };
  for (const [logicalId, { Type: type, Properties = {} }] of orderByReference(template)) {
    const properties = resolveValue(Properties, resources);
    const context = { clients, assetDirectory, resources, ...run };
    const created = await createResource(type, logicalId, properties, context);
    resources.set(logicalId, { logicalId, type, ...created });
  }
  const outputs = Object.entries(template.Outputs ?? {}).map(
    ([name, { Value }]) => [name, String(resolveValue(Value, resources))] as const,
  );
  return { resources, ...run, outputs: Object.fromEntries(outputs) };
}
