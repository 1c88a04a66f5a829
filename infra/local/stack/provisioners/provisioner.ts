import * as z from 'zod';
import type { MappingDefinition } from '../../lambda/event-source-mapping.ts';
import type { FunctionDefinition } from '../../lambda/lambda-host.ts';
import type { Clients } from '../clients.ts';
import { TemplateError, type CreatedResource } from '../resolve-template.ts';
import type { DeclaredSchedule } from '../ticker.ts';

/** A queue that receives what a declared subscriber outside this machine would receive. */
export interface StandIn {
  readonly protocol: string;
  /** ARN or URL of the subscriber. */
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly isRaw: boolean;
}

/** Clients that create resources, and registration of resources that the host runs. */
export interface ProvisionContext {
  readonly clients: Clients;
  /** Folder of the asset with the given S3 key. */
  assetDirectory(s3Key: string): string;
  addFunction(definition: FunctionDefinition): void;
  addMapping(definition: MappingDefinition): void;
  addSchedule(schedule: DeclaredSchedule): void;
  addStandIn(standIn: StandIn): void;
}

export interface DesiredResource {
  readonly logicalId: string;
  /** Intrinsic functions are resolved. */
  readonly properties: unknown;
  /** Names the resource in errors. */
  readonly path: string;
}

/** Creates a resource of one type. */
export type Provisioner = (
  desired: DesiredResource,
  context: ProvisionContext,
) => Promise<CreatedResource>;

/** A property without effect on the embedded services. */
export const noEffect = z.unknown().optional();
/** A string, number or boolean; templates may quote the latter two. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Checks a resource's properties.
 *
 * @throws TemplateError naming every unknown or invalid property, so that none is ignored silently.
 */
export function readProperties<T>(schema: z.ZodType<T>, { properties, path }: DesiredResource): T {
  const result = schema.safeParse(properties);
  if (result.success) return result.data;
  throw new TemplateError(
    `${path}: the local stack does not support these properties: ${z.prettifyError(result.error)}`,
  );
}

/** Converts to attributes of SNS and SQS: strings, with objects as JSON. */
export function textAttributes(
  values: Readonly<Record<string, string | number | boolean | object | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]),
  );
}
