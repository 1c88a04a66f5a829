import * as z from 'zod/mini';
import type { EntityName } from '../../functions/core/contract/index.ts';
import {
  claimCheck,
  dataOf,
  entities,
  entityObject,
  events,
  additionalEvent,
  serviceTime,
  time,
} from '../../functions/core/contract/schemas.ts';
import { readDocComments, type InterfaceDoc } from './doc-comments.ts';
import type { Example } from './examples.ts';
import { ENTITY_NAMES, interfaceOf, NOUNS, typeWords } from './words.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

const CONTRACT = new URL('../../functions/core/contract/', import.meta.url);

/** The doc comments of the contract's types. */
const docs = readDocComments(new URL('entities.ts', CONTRACT), new URL('events.ts', CONTRACT));

/** Names for schemas that stand in several places, and what their rules do not say. */
const registry = z.registry<{ id?: string; format?: string }>();
for (const entity of ENTITY_NAMES) registry.add(entities[entity], { id: interfaceOf(entity) });
registry.add(entityObject, { id: 'EntityObject' });
registry.add(serviceTime, { format: 'date-time' });
registry.add(time, { format: 'date-time' });

/** A schema for whole events. */
export interface EventSchema {
  /** The event type, or `claim-check`, or `further`. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** The schemas of whole events: one for each type, and for all other events. */
export function eventSchemas(examples: readonly Example[]): EventSchema[] {
  const eventDoc = docOf('EventAttributes', {
    data: docOf('ChangeData').text,
    dataref: 'Is not there: what has a `dataref` in the place of `data` is a claim check.',
  });
  const ofTypes = typeWords().map(({ type, raised }) => ({
    name: type,
    schema: {
      ...identified(`event:${type}:1`, type, raised),
      ...convert(events.get(type), eventDoc),
      examples: examples.map(({ event }) => event).filter((e) => e.type === type && 'data' in e),
    },
  }));
  const claimDoc = docOf('ClaimCheckEvent', {
    ...docOf('EventAttributes').fields,
    data: 'Are not there: they lie where `dataref` says.',
  });
  return [
    ...ofTypes,
    {
      name: 'claim-check',
      schema: {
        ...identified('event:claim-check:1', 'Claim check', claimDoc.text),
        ...convert(claimCheck, claimDoc),
        examples: examples.map(({ event }) => event).filter((event) => !('data' in event)),
      },
    },
    {
      name: 'additional',
      schema: {
        ...identified('event:additional:1', '<entity>.<action>', ADDITIONAL),
        ...convert(additionalEvent, eventDoc),
      },
    },
  ];
}

const ANY_ENTITY = {
  title: 'Any entity',
  description:
    "What is vouched for: the `id`. All else is the service's, and comes through also where it departs from the service's specification.",
};

const ADDITIONAL =
  'A change in a list that the operator configured besides the built-in ones (`additionalResources`).';

/** The schemas that the events' `dataschema` names: of `data` alone. By event type. */
export function dataSchemas(): EventSchema[] {
  return typeWords().map(({ type, entity, raised }) => ({
    name: type,
    schema: {
      ...identified(`${type}:1`, `Data of ${type}`, raised),
      ...convert(dataOf(entity), docOf('ChangeData')),
    },
  }));
}

/** The schema of an entity as the service's specification describes it. */
export function entitySchema(entity: EntityName): JsonSchema {
  const schema = convert(dataOf(entity), docOf('ChangeData')).$defs?.[interfaceOf(entity)];
  if (schema === undefined) throw new Error(`there is no schema of ${entity}`);
  return schema;
}

function identified(id: string, title: string, description: string): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:sitecast:schema:${id}`,
    title,
    description,
  };
}

/** With the words of the doc comments. */
function convert(schema: z.ZodMiniType | undefined, doc: InterfaceDoc): JsonSchema {
  if (schema === undefined) throw new Error('there is no such schema');
  const { $schema, $defs, ...whole } = z.toJSONSchema(schema, {
    metadata: registry,
    override: ({ jsonSchema }) => {
      // The bounds of integers that are exact in JavaScript say nothing of the service's.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      delete jsonSchema.id;
    },
  });
  const described = describe(whole, doc);
  const { data } = described.properties ?? {};
  if (typeof data === 'object' && data.type === 'object')
    Object.assign(data, describe(data, docOf('ChangeData')));
  return {
    ...described,
    $defs: Object.fromEntries(
      Object.entries($defs ?? {}).map(([name, def]) => [name, definition(name, def)]),
    ),
  };
}

function definition(name: string, schema: JsonSchema): JsonSchema {
  const doc = docOf(name);
  const entity = ENTITY_NAMES.find((each) => interfaceOf(each) === name);
  if (entity === undefined) return { ...ANY_ENTITY, ...describe(schema, doc) };
  return { title: titleOf(entity), description: doc.text, ...describe(schema, doc) };
}

function titleOf(entity: EntityName): string {
  const noun = NOUNS[entity];
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

function describe(schema: JsonSchema, { fields }: InterfaceDoc): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const description = fields[name];
    return [name, { ...(description && { description }), ...(property as object) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) as JsonSchema['properties'] & {} };
}

/** The doc comments of an interface of the contract, with additional ones for its fields. */
export function docOf(name: string, further: Readonly<Record<string, string>> = {}): InterfaceDoc {
  const doc = docs.get(name);
  if (doc === undefined) throw new Error(`there is no interface ${name}`);
  return { text: doc.text, fields: { ...further, ...doc.fields } };
}
