import { randomInt } from 'node:crypto';
import * as z from 'zod';

const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz';
const NUMBERS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** Which characters a secret may have. */
interface CharacterRules {
  readonly ExcludeCharacters: string;
  readonly ExcludeLowercase: boolean;
  readonly ExcludeNumbers: boolean;
  readonly ExcludePunctuation: boolean;
  readonly ExcludeUppercase: boolean;
  readonly IncludeSpace: boolean;
}

const flag = z.union([z.boolean(), z.stringbool()]).default(false);

/** How a template has a secret generated: `GenerateSecretString` of CloudFormation, with its defaults. */
export const GenerateSecretString = z
  .strictObject({
    PasswordLength: z.coerce.number().int().min(1).max(4096).default(32),
    ExcludeCharacters: z.string().default(''),
    ExcludeLowercase: flag,
    ExcludeNumbers: flag,
    ExcludePunctuation: flag,
    ExcludeUppercase: flag,
    IncludeSpace: flag,
    RequireEachIncludedType: z.union([z.boolean(), z.stringbool()]).default(true),
    SecretStringTemplate: z
      .string()
      .refine(isObject, 'SecretStringTemplate must be a JSON object')
      .optional(),
    GenerateStringKey: z.string().optional(),
  })
  .refine(
    ({ SecretStringTemplate, GenerateStringKey }) =>
      (SecretStringTemplate === undefined) === (GenerateStringKey === undefined),
    'SecretStringTemplate and GenerateStringKey go together',
  )
  .refine(
    (options) => typesOf(options).some((characters) => characters !== ''),
    'no character is left to generate the secret of',
  );

type Options = z.infer<typeof GenerateSecretString>;

/** Generates the text of a secret: random characters, alone or as a key of the template. */
export function generateSecretString(options: Options): string {
  const { SecretStringTemplate: template, GenerateStringKey: key = '' } = options;
  const password = generatePassword(options);
  if (template === undefined) return password;
  return JSON.stringify({ ...(JSON.parse(template) as object), [key]: password });
}

function generatePassword(options: Options): string {
  const types = typesOf(options).filter((characters) => characters !== '');
  const all = types.join('');
  const required = options.RequireEachIncludedType ? types : [];
  const characters = Array.from({ length: options.PasswordLength }, (_, index) =>
    pick(required[index] ?? all),
  );
  // Each type has its first character at a random place.
  for (let index = characters.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [characters[index], characters[other]] = [characters[other] ?? '', characters[index] ?? ''];
  }
  return characters.join('');
}

/** The characters of each included type. */
function typesOf(rules: CharacterRules): string[] {
  const types = [
    rules.ExcludeLowercase ? '' : LOWERCASE,
    rules.ExcludeUppercase ? '' : LOWERCASE.toUpperCase(),
    rules.ExcludeNumbers ? '' : NUMBERS,
    rules.ExcludePunctuation ? '' : PUNCTUATION,
    rules.IncludeSpace ? ' ' : '',
  ];
  const isAllowed = (character: string): boolean => !rules.ExcludeCharacters.includes(character);
  return types.map((characters) => characters.split('').filter(isAllowed).join(''));
}

function pick(characters: string): string {
  return characters[randomInt(characters.length)] ?? '';
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
