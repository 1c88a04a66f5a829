import { format } from 'oxfmt';
import { asyncApi } from './asyncapi.ts';
import type { Example } from './examples.ts';
import { bundledSchema, dataSchemas, eventSchemas, withDefinitions } from './json-schemas.ts';
import { readme } from './readme.ts';

/** Where the documents are. */
export const FOLDER = new URL('../../docs/events/', import.meta.url);

/** The documents of the event contract: text by the path below {@link FOLDER}. */
export async function makeDocuments(examples: readonly Example[]): Promise<Map<string, string>> {
  const { code } = await format('README.md', readme(examples), { printWidth: 100 });
  const documents = new Map([
    ['README.md', code],
    ['asyncapi.json', json(asyncApi(examples))],
  ]);
  const schemas = eventSchemas(examples);
  documents.set('schemas.json', json(bundledSchema(schemas)));
  for (const { name, schema } of schemas) {
    documents.set(`schemas/${name}.json`, json(withDefinitions(schema)));
  }
  for (const { name, schema } of dataSchemas()) {
    documents.set(`schemas/data/${name}.json`, json(withDefinitions(schema)));
  }
  return documents;
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
