import { ENTITY_NAMES } from '../../../functions/core/contract/schemas.ts';
import { markdown } from '../markdown.ts';
import type { Example } from './examples.ts';
import { docOf } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES, pascalCase, RAISED } from './vocabulary.ts';

/** The contract for reading, in Markdown. */
export function readme(examples: readonly Example[]): string {
  const common = Object.keys(docOf('EntityObject').fields);
  const code = (name: string): string => `\`${name}\``;
  const rotated = examples.find(({ title }) => title === 'rotate floorplan');
  const entities = ENTITY_NAMES.map((entity) => {
    const { text, fields } = docOf(pascalCase(entity));
    const own = Object.keys(fields).filter((name) => !common.includes(name));
    return [code(entity), text, own.map(code).join(', ')];
  });
  return `# The event contract

<!-- Made by \`npm run docs\` from functions/core/contract; do not edit. -->

One event is one [CloudEvents 1.0](https://cloudevents.io) event in JSON: the \`Message\` of SNS,
the body of a webhook. For machines there are

- [asyncapi.json](asyncapi.json): topic and webhook with their messages, as AsyncAPI 3;
- [schemas.json](schemas.json): one JSON Schema (draft 2020-12) of all, for generators of code;
- [schemas/](schemas): one of each event type, with examples, and in
  [schemas/data/](schemas/data) of \`data\` alone, which \`dataschema\` names;
- in TypeScript: \`import { parseChangeEvent, type ChangeEvent } from 'sitecast/events'\`.

## Types

A type is \`<entity>.<action>\`, such as \`floorplan.updated\`. What happens to an entity several
times between two polls is one event, from the state that was known to the state that is.

${markdown(
  ['Action', 'The event is raised when'],
  Object.entries(RAISED).map(([action, raised]) => [code(action), raised]),
)}

${markdown(['Entity', 'What it is', 'Its own fields'], entities)}

All entities have ${common.map(code).join(', ')}. A list that the operator configured besides these
(\`additionalResources\`) has events of the same form.

## Attributes

${markdown(['Attribute', 'Value'], rowsOf('EventAttributes'))}

\`data\` says what changed, and what the entity is like now:

${markdown(['Field', 'Value'], rowsOf('ChangeData', 'data.'))}

All fields of the entity but \`id\` may be absent, and fields that no schema lists pass through as
the service shows them. An event whose entity departs from the service's specification does not fit the
schema of its type, but [schemas/additional.json](schemas/additional.json): validate with that or
with \`parseChangeEvent\`, so that one odd field does not stop you.

An event that is too large for the topic has \`dataref\` instead of \`data\`
([schema](schemas/claim-check.json)). ${docOf('ClaimCheckEvent').fields['dataref'] ?? ''}

## Message attributes

For filter policies, SNS's message attributes repeat what subscribers filter by:

${markdown(
  ['Attribute', 'Value'],
  MESSAGE_ATTRIBUTES.map(({ name, description }) => [code(name), description]),
)}

## Example

\`\`\`json
${shortenIds(JSON.stringify(rotated?.event, undefined, 2))}
\`\`\`

## What may change

New types, attributes and fields may come at any time, and are no breaking change: ignore what you
do not know. What breaks a reader gets a new version in \`dataschema\` and a new \`type\` with a
suffix, beside the old one.
`;
}

/** Keeps lines short: of an id its first digits. */
const shortenIds = (text: string): string => text.replaceAll(/(-[\da-f]{4}){3}-[\da-f]{12}/g, '-…');

function rowsOf(name: string, prefix = ''): string[][] {
  const fields = Object.entries(docOf(name).fields);
  return fields.map(([field, value]) => [`\`${prefix}${field}\``, value]);
}
