import { fillPage } from '../pages.ts';
import { asyncApi } from './asyncapi.ts';
import type { Example } from './examples.ts';
import { bundledSchema, dataSchemas, eventSchemas, withDefinitions } from './json-schemas.ts';
import { readmeParts } from './readme.ts';

/** The documents of the event contract: text by the path below docs/. */
export async function makeDocuments(examples: readonly Example[]): Promise<Map<string, string>> {
  const schemas = eventSchemas(examples);
  const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
  return new Map([
    await fillPage('events/README.md', readmeParts(examples)),
    ['events/asyncapi.json', json(asyncApi(examples))],
    ['events/schemas.json', json(bundledSchema(schemas))],
    ...schemas.map(
      ({ name, schema }) => [`events/schemas/${name}.json`, json(withDefinitions(schema))] as const,
    ),
    ...dataSchemas().map(
      ({ name, schema }) =>
        [`events/schemas/data/${name}.json`, json(withDefinitions(schema))] as const,
    ),
  ]);
}
