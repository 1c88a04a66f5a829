import { format } from 'oxfmt';
import { asyncApi } from './asyncapi.ts';
import type { Example } from './examples.ts';
import { bundledSchema, dataSchemas, eventSchemas, withDefinitions } from './json-schemas.ts';
import { readme } from './readme.ts';

/** Where the documents are. */
export const FOLDER = new URL('../../../docs/events/', import.meta.url);

/** The documents of the event contract: text by the path below {@link FOLDER}. */
export async function makeDocuments(examples: readonly Example[]): Promise<Map<string, string>> {
  const { code } = await format('README.md', readme(examples), {
    printWidth: 100,
    proseWrap: 'always',
  });
  const schemas = eventSchemas(examples);
  const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
  return new Map([
    ['README.md', code],
    ['asyncapi.json', json(asyncApi(examples))],
    ['schemas.json', json(bundledSchema(schemas))],
    ...schemas.map(
      ({ name, schema }) => [`schemas/${name}.json`, json(withDefinitions(schema))] as const,
    ),
    ...dataSchemas().map(
      ({ name, schema }) => [`schemas/data/${name}.json`, json(withDefinitions(schema))] as const,
    ),
  ]);
}
