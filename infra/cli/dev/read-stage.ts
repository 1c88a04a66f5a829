import { resolve } from 'node:path';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { readExample } from '../../config/select-stages.ts';
import { surroundings } from '../../config/surroundings.ts';
import { pick } from '../flags.ts';

const CDK_JSON = resolve(import.meta.dirname, '../../../cdk.json');

/** Fields that name places outside this machine, or concern them only. */
const DEPLOYED_ONLY = new Set([
  ...['baseUrl', 'authUrl', 'account', 'region', 'enabled'],
  ...Object.keys(surroundings),
]);

/** Reads the fields of a stage of cdk.json, without those that only a deployment can use. */
export function readStage(name: string): Readonly<Record<string, unknown>> {
  const stages = { ...readCdkJson(CDK_JSON).stages, ...readExample() };
  // Synthesis reports a stage that is no object.
  const fields = Object.entries(pick('stage', stages, name) as object);
  return Object.fromEntries(fields.filter(([field]) => !DEPLOYED_ONLY.has(field)));
}
