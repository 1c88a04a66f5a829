import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { readExample } from '../../config/select-stages.ts';
import { surroundings } from '../../config/surroundings.ts';

const CDK_JSON = fileURLToPath(new URL('../../../cdk.json', import.meta.url));
const Stages = z.record(z.string(), z.record(z.string(), z.unknown()));
const CdkJson = z.object({ context: z.object({ notifier: Stages }) });

/** Fields that name places outside this machine, or concern them only. */
const DEPLOYED_ONLY = new Set([
  'baseUrl',
  'authUrl',
  'account',
  'region',
  'enabled',
  ...Object.keys(surroundings),
]);

/** A stage's config without the fields that only a deployment can use. */
export type LocalStage = Readonly<Record<string, unknown>>;

/** Reads the stages of cdk.json and the example, unchecked: synthesis checks them. */
export function readStages(folder?: string): ReadonlyMap<string, LocalStage> {
  const path = folder === undefined ? CDK_JSON : join(folder, 'cdk.json');
  const { context } = CdkJson.parse(JSON.parse(readFileSync(path, 'utf8')));
  const notifier = { ...context.notifier, ...Stages.parse(readExample()) };
  return new Map(
    Object.entries(notifier).map(([name, stage]) => [
      name,
      Object.fromEntries(Object.entries(stage).filter(([field]) => !DEPLOYED_ONLY.has(field))),
    ]),
  );
}
