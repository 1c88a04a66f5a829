import { readdir } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CloudEvent } from 'cloudevents';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseChangeEvent } from '../functions/core/contract/index.ts';
import { events } from '../functions/core/contract/schemas.ts';
import { CHANGES } from '../infra/local/simulator/changes.ts';
import { committedSchemas, whyAgainstSchema } from './support/event-schemas.ts';
import { makeDocuments } from './tools/event-docs/documents.ts';
import { collectExamples, type Example } from './tools/event-docs/examples.ts';
import { MESSAGE_ATTRIBUTES, WEBHOOK_HEADERS } from './tools/event-docs/vocabulary.ts';
import { DOCS, readPage } from './tools/pages.ts';

let committed: ReadonlyMap<string, string>;
let examples: readonly Example[];

beforeAll(async () => {
  const found = await readdir(new URL('events/', DOCS), { recursive: true });
  const files = found.filter((name) => /\.\w+$/.test(name)).map((name) => `events/${name}`);
  committed = new Map(
    await Promise.all(files.map(async (path) => [path, await readPage(path)] as const)),
  );
  examples = await collectExamples();
});

describe('the documents of the event contract', () => {
  it('are what npm run docs makes now', async () => {
    const made = await makeDocuments(examples);
    expect([...committed.keys()].sort()).toEqual([...made.keys()].sort());
    for (const [path, text] of made) expect(committed.get(path), path).toBe(text);
  });

  it('have a schema of each event type, of the whole event and of its data', () => {
    const types = [...events.keys()];
    expect([...committedSchemas().keys()].sort()).toEqual(
      [...types, 'claim-check', 'additional'].sort(),
    );
    expect([...committedSchemas('data/').keys()].sort()).toEqual(types.sort());
  });

  it('bundle a schema that every example fits', () => {
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      formats: { 'date-time': true },
    });
    const validate = ajv.compile(JSON.parse(committed.get('events/schemas.json') ?? '') as object);
    for (const { title, event } of examples) expect(validate(event), title).toBe(true);
    expect(validate({ ...examples[0]?.event, specversion: '2.0' })).toBe(false);
  });

  it('describe each property', () => {
    for (const [path, text] of committed) {
      if (!path.startsWith('events/schemas')) continue;
      expect(undescribed(JSON.parse(text) as Schema), path).toEqual([]);
    }
  });

  it('have an AsyncAPI document that the parser of AsyncAPI finds no fault with', async () => {
    const text = committed.get('events/asyncapi.json') ?? '';
    const { document, diagnostics } = await new Parser().parse(text);
    // The specification moves on: that there is a later version is no fault.
    const faults = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect(faults.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([]);
    const messagesOf = (channel: string) =>
      document?.channels().get(channel)?.messages().all() ?? [];
    for (const channel of ['changes', 'webhook']) {
      expect(
        messagesOf(channel)
          .map((message) => message.name())
          .sort(),
      ).toEqual([...events.keys(), 'claim-check', 'additional'].sort());
    }
    for (const message of messagesOf('webhook')) {
      expect(message.headers()?.required()).toEqual(WEBHOOK_HEADERS.map(({ name }) => name));
    }
  });
});

describe('the examples', () => {
  it('are of each event type, and one is a claim check', () => {
    const types: ReadonlySet<string> = new Set(examples.map(({ event }) => event.type));
    const makeable: ReadonlySet<string> = new Set(Object.values(CHANGES).map(({ type }) => type));
    expect(types).toEqual(new Set(events.keys()).intersection(makeable));
    expect(examples.filter(({ event }) => 'dataref' in event)).toHaveLength(1);
  });

  it('fit their schemas, the schema that they name, the parser, and CloudEvents', () => {
    const schemas = committedSchemas();
    const ofData = committedSchemas('data/');
    for (const { title, event } of examples) {
      expect(whyAgainstSchema(schemas, event), title).toBeUndefined();
      expect(parseChangeEvent(JSON.stringify(event))).toEqual(event);
      expect(new CloudEvent({ ...event }).validate(), title).toBe(true);
      if (!('data' in event)) continue;
      const validate = ofData.get(event.type);
      expect(validate?.schema).toHaveProperty('$id', event.dataschema);
      expect(validate?.(event.data), title).toBe(true);
    }
  });

  it('show old values, and an item that is gone without being marked as deleted', () => {
    const data = examples.map(({ event }) => ('data' in event ? event.data : undefined));
    expect(data).toContainEqual(
      expect.objectContaining({ changed: ['rotation'], previous: { rotation: 0 } }),
    );
    const gone = examples.find(({ title }) => title.endsWith('left out of its checklist'));
    expect(gone?.event).toMatchObject({
      type: 'template_check_item.deleted',
      data: { object: { deleted_at: null }, changed: [] },
    });
  });

  it('have the message attributes that are described, and no other', () => {
    const described = MESSAGE_ATTRIBUTES.map(({ name }) => name);
    const always = MESSAGE_ATTRIBUTES.filter((attribute) => !('isOptional' in attribute));
    const names = examples.map(({ attributes }) => Object.keys(attributes));
    expect(new Set(names.flat())).toEqual(new Set(described));
    for (const each of names)
      expect(each).toEqual(expect.arrayContaining(always.map((a) => a.name)));
  });
});

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The properties of a schema, and of schemas in it, that say nothing of themselves. */
function undescribed(schema: Schema): string[] {
  const inner = Object.entries({ ...schema.properties, ...schema.$defs });
  return inner.flatMap(([name, property]) => [
    ...((property.description ?? property.$ref) ? [] : [name]),
    ...undescribed(property),
  ]);
}
