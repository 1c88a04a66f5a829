import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import * as z from 'zod/mini';
import { stageSchema, STAGE_NAME } from '../../../infra/config/config.ts';
import { readFieldGroups, type FieldDoc, type FieldGroup } from './field-docs.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Where the documents are. */
export const FOLDER = new URL('../../../docs/', import.meta.url);

/** Says itself by its default. */
const BOOLEAN = 'true or false';
const LISTS = /(<!-- fields[^>]*-->\n).*(<!-- \/fields -->)/s;

/** The documents of the config: text by the path below {@link FOLDER}. */
export async function makeDocuments(): Promise<Map<string, string>> {
  const groups = readFieldGroups();
  const page = await readFile(new URL('configuration.md', FOLDER), 'utf8');
  const lists = groups.map(listOf).join('\n');
  const { code } = await format(
    'configuration.md',
    page.replace(LISTS, (_, begin: string, end: string) => `${begin}\n${lists}\n${end}`),
    { printWidth: 100, proseWrap: 'always' },
  );
  const schema = `${JSON.stringify(fileSchema(groups), undefined, 2)}\n`;
  return new Map([
    ['configuration.md', code],
    ['config.schema.json', schema],
  ]);
}

function listOf({ title, fields }: FieldGroup): string {
  const items = fields.map(
    ({ name, allowed, text, ...field }) =>
      `- \`${name}\` (${defaultOf(field)}): ${text}${allowed === BOOLEAN ? '' : ` Allowed: ${allowed}.`}`,
  );
  return `### ${title}\n\n${items.join('\n')}\n`;
}

function defaultOf(field: Pick<FieldDoc, 'default' | 'isRequired'>): string {
  return field.isRequired ? '**required**' : `default ${field.default ?? 'none'}`;
}

/** The schema of a file like cdk.json, whose other entries are CDK's. */
function fileSchema(groups: readonly FieldGroup[]): JsonSchema {
  const { $schema, ...stage } = z.toJSONSchema(stageSchema, { io: 'input' });
  for (const group of groups) describe(stage, group);
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
function describe(stage: JsonSchema, { path, fields }: FieldGroup): void {
  const object = path.reduce((parent, name) => {
    const field = propertyOf(parent, name);
    return (field.items as JsonSchema | undefined) ?? field;
  }, stage);
  for (const { name, text, allowed } of fields) {
    propertyOf(object, name).description =
      `${text}${allowed === BOOLEAN ? '' : ` Allowed: ${allowed}.`}`;
  }
}

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema {
  const property = properties?.[name];
  if (typeof property !== 'object') throw new Error(`The schema has no property ${name}`);
  return property;
}
