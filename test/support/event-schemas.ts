import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const SCHEMAS = new URL('../../docs/events/schemas/', import.meta.url);

const compiled = new Map<string, ReadonlyMap<string, ValidateFunction>>();

/** The JSON Schemas of a folder below `docs/events/schemas`, compiled, by their file's name. */
export function committedSchemas(folder: '' | 'data/' = ''): ReadonlyMap<string, ValidateFunction> {
  const schemas = compiled.get(folder) ?? compile(folder);
  compiled.set(folder, schemas);
  return schemas;
}

let guaranteed: ReadonlyMap<string, ValidateFunction> | undefined;

/**
 * The committed schemas of events without the fields of the entities, which the service may fill as
 * it likes: what Sitecast guarantees, and the parser checks.
 */
export function guaranteedSchemas(): ReadonlyMap<string, ValidateFunction> {
  guaranteed ??= compile('', (schema) => {
    for (const [title, definition] of Object.entries(schema.$defs ?? {})) {
      if (title.endsWith('Change')) continue;
      const { id } = definition.properties ?? {};
      definition.properties = id === undefined ? {} : { id };
    }
  });
  return guaranteed;
}

interface Schema {
  properties?: Record<string, unknown>;
  $defs?: Record<string, Schema>;
}

function compile(
  folder: string,
  change: (schema: Schema) => void = () => undefined,
): ReadonlyMap<string, ValidateFunction> {
  // Formats are notes for generators of code here; patterns say what is checked.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });
  const files = readdirSync(new URL(folder, SCHEMAS)).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((file) => {
      const text = readFileSync(new URL(`${folder}${file}`, SCHEMAS), 'utf8');
      const schema = JSON.parse(text) as Schema;
      change(schema);
      return [file.replace(/\.json$/, ''), ajv.compile(schema)];
    }),
  );
}

/** What is wrong with an event by the schema of its type, in ajv's words; undefined: nothing. */
export function whyAgainstSchema(
  schemas: ReadonlyMap<string, ValidateFunction>,
  event: { readonly type: string; readonly dataref?: unknown },
): string | undefined {
  const validate = schemas.get(event.dataref === undefined ? event.type : 'claim-check');
  if (validate === undefined) return `there is no schema of ${event.type}`;
  return validate(event) ? undefined : JSON.stringify(validate.errors);
}
