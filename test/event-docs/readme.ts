import type { EntityName } from '../../functions/core/contract/index.ts';
import { ENTITY_NAMES } from '../../functions/core/contract/schemas.ts';
import type { Example } from './examples.ts';
import { definitions, docOf, type JsonSchema } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES } from './message-attributes.ts';
import { interfaceOf, typeWords } from './words.ts';

/** The contract for reading, in Markdown. */
export function readme(examples: readonly Example[]): string {
  const commonFields = Object.keys(docOf('EntityObject').fields);
  return `# The event contract

<!-- Made by \`npm run docs:events\` from functions/core/contract; do not edit. -->

One event is one [CloudEvents 1.0](https://cloudevents.io) event in JSON: the \`Message\` of SNS. This page
says what stands in it. The same for machines:

- [asyncapi.json](asyncapi.json): the topic, a webhook with its headers, and their messages, as AsyncAPI 3.
- [schemas.json](schemas.json): one JSON Schema (draft 2020-12) with all events, for generators of code.
- [schemas/](schemas): a JSON Schema of the whole event for each type, with examples; in
  [schemas/data/](schemas/data) of \`data\` alone: that is what \`dataschema\` names.
- In TypeScript: \`import { parseChangeEvent, type ChangeEvent } from 'sitecast/events'\`. The package also has \`consume\`
  (order, repeats, claim checks), \`initialLoad\` and \`verifyMirror\` for subscribers that keep a copy: their doc comments
  say what each needs, and docs/subscribing.md in the repository shows them at work.

Generators make one type of each schema, named after its title: \`FloorplanUpdated\` is an event, \`FloorplanChange\` its
data, \`Floorplan\` the entity. These are tested (\`npx node test/event-docs/generators/main.ts\`):

\`\`\`sh
npx json-schema-to-typescript schemas.json > events.ts            # KnownEvent is a union over type
npx quicktype --lang python --pydantic-base-model --src-lang schema 'schemas.json#/$defs/' |
  sed 's/(BaseModel):/(BaseModel, extra="allow"):/' > events.py
\`\`\`

The schemas do not list all fields of the service, and new ones may come. The types of TypeScript change nothing at run time. In Python
\`extra="allow"\` keeps such fields (pydantic 2); without both options quicktype's classes drop them.

With \`@asyncapi/modelina\` and [asyncapi.json](asyncapi.json) set \`rawPropertyNames\`: otherwise \`object\` gets another name.

The examples are real: they were published while things happened at the simulated service.

## Types

${table(
  ['Type', 'Raised when'],
  typeWords().map(({ type, raised }) => [`[\`${type}\`](schemas/${type}.json)`, raised]),
)}

A list that the operator configured besides these (\`additionalResources\`) has events of the form
[\`<entity>.<action>\`](schemas/additional.json), too. What happens to an entity several times between two polls is
one event, from the state that was known to the state that is.

## Attributes

${table(['Attribute', 'Value'], fieldRows('EventAttributes'))}

\`data\` says what changed, and what the entity is like now:

${table(
  ['Field', 'Value'],
  fieldRows('ChangeData').map(([name = '', value = '']) => [name.replace('`', '`data.'), value]),
)}

## Entities

\`data.object\` is the entity as the service returned it. All fields but \`id\` may be absent: of an entity that
vanished before its content could be kept, the \`id\` is all there is. Fields that are not listed here pass through
untouched. The types are those of the service's specification; should the service depart from it, so does the event. Then it
does not fit the schema of its type. All events with \`data\` fit [schemas/additional.json](schemas/additional.json): validate with that or with
\`parseChangeEvent\`, so that one odd field does not stop you.

All entities have these fields:

${entityTable('project', commonFields)}

${ENTITY_NAMES.map((entity) => entitySection(entity, commonFields)).join('\n\n')}

## Message attributes

For filter policies, SNS's message attributes repeat what subscribers filter by. Raw delivery to HTTPS and Firehose
drops them; the event has it all.

${table(
  ['Attribute', 'SNS type', 'Value'],
  MESSAGE_ATTRIBUTES.map(({ name, type, description, absent }) => [
    `\`${name}\``,
    `\`${type}\``,
    absent === undefined ? description : `${description} Absent ${absent}.`,
  ]),
)}

## Events too large for the topic

${docOf('ClaimCheckEvent').text} It has the same \`id\`, the same attributes and the same message attributes, and no \`data\`
([schema](schemas/claim-check.json)):

${table(
  ['Attribute', 'Value'],
  fieldRows('ClaimCheckEvent').filter(([name]) => name === '`dataref`'),
)}

${example(examples, (each) => 'dataref' in each.event)}

## Examples

${example(examples, ({ event }) => event.type === 'floorplan.updated')}

${example(examples, ({ title }) => title.includes('is gone from'))}

${example(examples, ({ event }) => event.type === 'sheet.created')}

One of each type is in its schema, and in the AsyncAPI document.

## What may change

New types, attributes and fields may come at any time, and are no breaking change: ignore what you do not know. What
breaks a reader gets a new version in \`dataschema\` and a new \`type\` with a suffix, beside the old one.
`;
}

function entitySection(entity: EntityName, commonFields: readonly string[]): string {
  const { text, fields } = docOf(interfaceOf(entity));
  const own = Object.keys(fields).filter((name) => !commonFields.includes(name));
  return `### \`${entity}\`

${text}

${entityTable(entity, own)}`;
}

function entityTable(entity: EntityName, names: readonly string[]): string {
  const { fields } = docOf(interfaceOf(entity));
  const { properties = {} } = definitions[interfaceOf(entity)] ?? {};
  return table(
    ['Field', 'Type', 'Value'],
    names.map((name) => [`\`${name}\``, typeOf(properties[name]), fields[name] ?? '']),
  );
}

/** `string or null`. */
function typeOf(schema: JsonSchema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'any';
  return schema.anyOf?.map(typeOf).join(' or ') ?? [schema.type].flat().join(' or ');
}

function example(examples: readonly Example[], fits: (example: Example) => boolean): string {
  const found = examples.find(fits);
  if (found === undefined) throw new Error('there is no such example');
  const json = JSON.stringify(found.event, undefined, 2);
  return `${found.title}:

\`\`\`json
${json}
\`\`\``;
}

function fieldRows(name: string): string[][] {
  return Object.entries(docOf(name).fields).map(([field, value]) => [`\`${field}\``, value]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
