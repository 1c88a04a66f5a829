import { ENTITY_NAMES } from '../../../functions/core/contract/schemas.ts';
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
    return [entity, `${text} Fields: ${own.map(code).join(', ')}.`] as const;
  });
  const repeated = MESSAGE_ATTRIBUTES.map(({ name, description }) => [name, description] as const);
  return {
    actions: listOf(Object.entries(RAISED)),
    entities: listOf(entities),
    attributes: listOf(Object.entries(docOf('EventAttributes').fields)),
    data: listOf(Object.entries(docOf('ChangeData').fields), 'data.'),
    'message-attributes': listOf(repeated),
    example: `\`\`\`json\n${shortenIds(JSON.stringify(rotated?.event, undefined, 2))}\n\`\`\``,
  };
}

const listOf = (items: readonly (readonly [string, string])[], prefix = ''): string =>
  items.map(([name, text]) => `- ${code(prefix + name)}: ${text}`).join('\n');

const code = (name: string): string => `\`${name}\``;

/** Keeps lines short: of an id its first digits. */
const shortenIds = (text: string): string => text.replaceAll(/(-[\da-f]{4}){3}-[\da-f]{12}/g, '-…');
