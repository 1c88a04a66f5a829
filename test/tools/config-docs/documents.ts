import * as z from 'zod/mini';
import { stageSchema, STAGE_NAME } from '../../../infra/config/config.ts';
import { fillPage } from '../pages.ts';
import { readFieldGroups, type FieldDoc, type FieldGroup } from './field-docs.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The documents of the config: text by the path below docs/. */
export async function makeDocuments(): Promise<Map<string, string>> {
  const groups = readFieldGroups();
  return new Map([
    await fillPage('configuration.md', { fields: groups.map(listOf).join('\n') }),
    ['config.schema.json', `${JSON.stringify(fileSchema(groups), undefined, 2)}\n`],
  ]);
}

function listOf({ title, fields }: FieldGroup): string {
  const items = fields.map((each) => `- \`${each.name}\` (${defaultOf(each)}): ${describe(each)}`);
  return `### ${title}\n\n${items.join('\n')}\n`;
}

/** Says also what is allowed: a range, or values that neither text nor default names. */
function describe({ text, allowed, default: value = '' }: FieldDoc): string {
  const range = /\d+ to \d+$/.exec(allowed)?.[0];
  const values = allowed.match(/(?<=")\w+(?=")/g) ?? [];
  const isOpen = values.some((each) => !(text + value).includes(each));
  return isOpen || range !== undefined ? `${text} Allowed: ${range ?? allowed}.` : text;
}

function defaultOf(field: Pick<FieldDoc, 'default' | 'isRequired'>): string {
  return field.isRequired ? '**required**' : `default ${field.default ?? 'none'}`;
}

/** The schema of a file like cdk.json, whose other entries are CDK's. */
function fileSchema(groups: readonly FieldGroup[]): JsonSchema {
  const { $schema, ...stage } = z.toJSONSchema(stageSchema, { io: 'input' });
  for (const group of groups) addComments(stage, group);
  const notifier = {
    description: 'The stages by name. Each becomes a stack: Sitecast-<name>.',
    type: 'object' as const,
    minProperties: 1,
    propertyNames: { pattern: STAGE_NAME.source },
    additionalProperties: { $ref: '#/$defs/stage' },
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The config of Sitecast, in cdk.json',
    type: 'object',
    properties: { context: { type: 'object', properties: { notifier } } },
    $defs: { stage },
  };
}

/** Adds the doc comments of a group to its fields. */
function addComments(stage: JsonSchema, { path, fields }: FieldGroup): void {
  const object = path.reduce((parent, name) => {
    const field = propertyOf(parent, name);
    return (field.items as JsonSchema | undefined) ?? field;
  }, stage);
  for (const field of fields) propertyOf(object, field.name).description = describe(field);
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema {
  const property = properties?.[name];
  if (typeof property !== 'object') throw new Error(`The schema has no property ${name}`);
  return property;
}
