import * as z from 'zod';
import type { Clients } from '../clients.ts';
import type { FunctionDefinition } from '../../lambda/lambda-host.ts';
import type { Schedule } from '../scheduler.ts';
import type { CreatedResource } from '../resolve-template.ts';
import { TemplateError } from '../resolve-template.ts';

/** Where provisioners create things, and where they register what the host runs itself. */
export interface ProvisionContext {
  readonly clients: Clients;
  /** Folder of the asset with the given S3 key. */
  assetDirectory(s3Key: string): string;
  addFunction(definition: FunctionDefinition): void;
  addSchedule(schedule: Schedule): void;
}

/** A resource to create. */
export interface DesiredResource {
  readonly logicalId: string;
  /** With all intrinsic functions resolved. */
  readonly properties: unknown;
  /** Names the resource in errors. */
  readonly path: string;
}

/** Creates a resource of one type by its properties. */
export type Provisioner = (
  desired: DesiredResource,
  context: ProvisionContext,
) => Promise<CreatedResource>;

/** A property that makes no difference to the embedded services. */
export const noEffect = z.unknown().optional();
/** A number or flag as templates write it, with or without quotes. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Checks a resource's properties.
 *
 * @throws TemplateError naming every property that is not known or not as it should be, so that no
 *   property is left out in silence.
 */
export function readProperties<T>(schema: z.ZodType<T>, { properties, path }: DesiredResource): T {
  const result = schema.safeParse(properties);
  if (result.success) return result.data;
  throw new TemplateError(
    `${path}: the local stack cannot use this: ${z.prettifyError(result.error)}`,
  );
}

/** Attributes as SNS and SQS take them: texts, objects as JSON; absent ones left out. */
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
