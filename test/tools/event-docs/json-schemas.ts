import * as z from 'zod/mini';
import {
  additionalEvent,
  changeData,
  claimCheck,
  ENTITY_NAMES,
  entityObject,
  events,
  time,
} from '../../../functions/core/contract/schemas.ts';
import { readDocComments, type InterfaceDoc } from './doc-comments.ts';
import type { Example } from './examples.ts';
import { pascalCase, typeWords } from './vocabulary.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

const CONTRACT = new URL('../../../functions/core/contract/', import.meta.url);

/** The doc comments of the contract's types. */
const docs = readDocComments(new URL('entities.ts', CONTRACT), new URL('events.ts', CONTRACT));

/** A timestamp of the service, not validated. */
const serviceTime = z.string();

/** What the rules of timestamps do not say. */
const registry = z.registry<{ format: string }>();
registry.add(serviceTime, { format: 'date-time' });
registry.add(time, { format: 'date-time' });

/** A schema for whole events, or for the data of events. */
export interface EventSchema {
  /** The event type, or `claim-check`, or `additional`. */
  readonly name: string;
  /** Has a title, by which generators of code name its type, and refers to {@link definitions}. */
  readonly schema: JsonSchema;
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/** Entities, their changes and old values, to which others refer by `#/$defs/<title>`. */
export const definitions: Definitions = titled(
  entityDefinition('EntityObject', entityObject),
  ...changeDefinitions('Entity', 'EntityObject', entityObject),
  ...ENTITY_NAMES.flatMap((entity) => {
    const name = pascalCase(entity);
    const schema = schemaOf(docOf(name));
    return [entityDefinition(name, schema), ...changeDefinitions(name, name, schema)];
  }),
);

/** The schemas of whole events: one for each type, and for all other events. */
export function eventSchemas(examples: readonly Example[]): EventSchema[] {
  const shown = examples.map(({ event }) => event);
  const doc = docOf('EventAttributes');
  const ofTypes = typeWords().map(({ type, entity, raised }) => ({
    name: type,
    schema: {
      ...identified(`event:${type}:1`, titleOf(type), raised),
      ...withData(convert(events.get(type), doc), changeOf(pascalCase(entity))),
      examples: shown.filter((event) => event.type === type && 'data' in event),
    },
  }));
  const claimDoc = docOf('ClaimCheckEvent', doc.fields);
  return [
    ...ofTypes,
    {
      name: 'claim-check',
      schema: {
        ...identified('event:claim-check:1', 'ClaimCheckEvent', claimDoc.text),
        ...convert(claimCheck, claimDoc),
        examples: shown.filter((event) => !('data' in event)),
      },
    },
    {
      name: 'additional',
      schema: {
        ...identified('event:additional:1', 'AdditionalEvent', ADDITIONAL),
        ...withData(convert(additionalEvent, doc), changeOf('Entity')),
      },
    },
  ];
}

const ADDITIONAL =
  'A change in a list that the operator configured besides the built-in ones ' +
  '(`additionalResources`). All events with `data` fit this schema, too, also when their entity ' +
  "departs from the service's specification.";

/** The schemas that the events' `dataschema` names: of `data` alone. By event type. */
export function dataSchemas(): EventSchema[] {
  return typeWords().map(({ type, entity, raised }) => {
    const title = changeOf(pascalCase(entity));
    const { description, ...change } = definitions[title] ?? {};
    return { name: type, schema: { ...identified(`${type}:1`, title, raised), ...change } };
  });
}

/** One schema for all known events, in which each definition stands once. */
export function bundledSchema(schemas: readonly EventSchema[]): JsonSchema {
  const payloads = schemas.map(({ schema }) => {
    const { $schema, $id, examples, ...payload } = schema;
    return payload;
  });
  const types = typeWords().map(({ type }) => titleOf(type));
  const known = {
    title: 'KnownEvent',
    description: 'An event of a type of this version of the contract.',
    oneOf: types.map(refer),
  };
  const others = payloads.flatMap(({ title = '' }) => (types.includes(title) ? [] : [title]));
  return {
    ...identified('events:1', 'SitecastEvent', 'A message of the topic.'),
    // Not a definition: quicktype would merge its events into one type.
    anyOf: [known, ...others.map(refer)],
    $defs: titled(...payloads, ...Object.values(definitions)),
  };
}

/** The schema with those definitions that it needs. */
export function withDefinitions(schema: JsonSchema): JsonSchema {
  const needed = new Map<string, JsonSchema>();
  const collect = (part: JsonSchema): void => {
    for (const [, title = ''] of JSON.stringify(part).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[title];
      if (definition === undefined || needed.has(title)) continue;
      needed.set(title, definition);
      collect(definition);
    }
  };
  collect(schema);
  return needed.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(needed) };
}

/** The schema of an entity, from the types of its interface. */
function schemaOf({ types }: InterfaceDoc): z.ZodMiniType {
  const { id } = entityObject.shape;
  const fields = Object.entries(types).map(([name, type]) => {
    const [first = '', second] = type.replace(/!$/, '').split(' | ');
    const text = name.endsWith('_at') ? serviceTime : z.string();
    const schemas: Record<string, z.ZodMiniType> = { number: z.int(), boolean: z.boolean() };
    const value = second === 'number' ? id : (schemas[first] ?? text);
    const nullable = second === 'null' ? z.nullable(value) : value;
    return [name, type.endsWith('!') ? nullable : z.exactOptional(nullable)] as const;
  });
  return z.looseObject(Object.fromEntries(fields));
}

function titled(...schemas: readonly JsonSchema[]): Definitions {
  return Object.fromEntries(schemas.map((schema) => [schema.title ?? '', schema]));
}

/** `FloorplanUpdated` for `floorplan.updated`. */
function titleOf(type: string): string {
  return type.split('.').map(pascalCase).join('');
}

function changeOf(name: string): string {
  return `${name}Change`;
}

function entityDefinition(name: string, schema: z.ZodMiniType): JsonSchema {
  const doc = docOf(name);
  return { title: name, description: doc.text, ...convert(schema, doc) };
}

/** The data of an entity's events, and old values of the entity. */
function changeDefinitions(name: string, object: string, schema: z.ZodMiniType): JsonSchema[] {
  const doc = docOf('ChangeData');
  const change = convert(changeData, doc);
  const {
    required,
    properties: { id, updated_at, ...fields } = {},
    ...previous
  } = entityDefinition(object, schema);
  const title = `Previous${name}`;
  return [
    { ...previous, title, description: doc.fields['previous'] ?? '', properties: fields },
    {
      title: changeOf(name),
      description: `${doc.text} ${doc.fields['object'] ?? ''}`,
      ...change,
      properties: { ...change.properties, object: refer(object), previous: refer(title) },
    },
  ];
}

function withData(event: JsonSchema, title: string): JsonSchema {
  return { ...event, properties: { ...event.properties, data: refer(title) } };
}

/** Without a description beside it, which some generators take for another type. */
function refer(title: string): JsonSchema {
  return { $ref: `#/$defs/${title}` };
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
function convert(schema: z.ZodMiniType | undefined, { fields }: InterfaceDoc): JsonSchema {
  if (schema === undefined) throw new Error('there is no such schema');
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    metadata: registry,
    override: ({ jsonSchema, path }) => {
      // The bounds of exact integers hold for ids. They say nothing of the service's others.
      if (path.includes('id')) return;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  const properties = Object.entries(converted.properties ?? {}).flatMap(([name, property]) => {
    // Fields that must not be there: generators would make them fields of any type.
    if (typeof property !== 'object' || property.not !== undefined) return [];
    const description = fields[name];
    return [[name, { ...(description && { description }), ...withoutUnion(property) }] as const];
  });
  return { ...converted, properties: Object.fromEntries(properties) };
}

/** A value of two types, such as a text or null, as one schema. */
function withoutUnion({ anyOf, ...schema }: JsonSchema): JsonSchema {
  const [value, other] = anyOf ?? [];
  if (typeof value !== 'object' || typeof other !== 'object') return schema;
  return { ...schema, ...other, ...value, type: [value.type, other.type] as unknown as 'string' };
}

/** The doc comments of an interface of the contract, with additional ones for its fields. */
export function docOf(name: string, further: Readonly<Record<string, string>> = {}): InterfaceDoc {
  const doc = docs.get(name);
  if (doc === undefined) throw new Error(`there is no interface ${name}`);
  return { ...doc, fields: { ...further, ...doc.fields } };
}
