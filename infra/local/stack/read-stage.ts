import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { readExample } from '../../config/select-stages.ts';
import { surroundings } from '../../config/surroundings.ts';

const CDK_JSON = fileURLToPath(new URL('../../../cdk.json', import.meta.url));

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

/**
 * Reads the stages of cdk.json and the example.
 *
 * @returns their fields, which synthesis checks; a stage that is no object as it is.
 * @throws CdkJsonError if the file cannot be used.
 */
export function readStages(folder?: string): Readonly<Record<string, unknown>> {
  const path = folder === undefined ? CDK_JSON : join(folder, 'cdk.json');
  return { ...readCdkJson(path).stages, ...readExample() };
}

/** Leaves out what only a deployment can use. */
export function toLocalStage(stage: object): LocalStage {
  return Object.fromEntries(Object.entries(stage).filter(([field]) => !DEPLOYED_ONLY.has(field)));
}
