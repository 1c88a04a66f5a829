import { ENTITY_NAMES } from '../../../functions/core/contract/schemas.ts';
import { markdown } from '../markdown.ts';
import type { Example } from './examples.ts';
import { docOf } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES, pascalCase, RAISED } from './vocabulary.ts';

/** The parts of the contract's page that are made of types and examples. */
export function readmeParts(examples: readonly Example[]) {
  const common = Object.keys(docOf('EntityObject').fields);
  const rotated = examples.find(({ title }) => title === 'rotate floorplan');
  const entities = ENTITY_NAMES.map((entity) => {
    const { text, fields } = docOf(pascalCase(entity));
    const own = Object.keys(fields).filter((name) => !common.includes(name));
    return [code(entity), text, own.map(code).join(', ')];
  });
  const actions = Object.entries(RAISED).map(([action, raised]) => [code(action), raised]);
  const repeated = MESSAGE_ATTRIBUTES.map(({ name, description }) => [code(name), description]);
  return {
    actions: markdown(['Action', 'The event is raised when'], actions),
    entities: markdown(['Entity', 'What it is', 'Its own fields'], entities),
    attributes: markdown(['Attribute', 'Value'], rowsOf('EventAttributes')),
    data: markdown(['Field', 'Value'], rowsOf('ChangeData', 'data.')),
    'message-attributes': markdown(['Attribute', 'Value'], repeated),
    example: `\`\`\`json\n${shortenIds(JSON.stringify(rotated?.event, undefined, 2))}\n\`\`\``,
  };
}

const code = (name: string): string => `\`${name}\``;

/** Keeps lines short: of an id its first digits. */
const shortenIds = (text: string): string => text.replaceAll(/(-[\da-f]{4}){3}-[\da-f]{12}/g, '-…');

function rowsOf(name: string, prefix = ''): string[][] {
  const fields = Object.entries(docOf(name).fields);
  return fields.map(([field, value]) => [code(`${prefix}${field}`), value]);
}
