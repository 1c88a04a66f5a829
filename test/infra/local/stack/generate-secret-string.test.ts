import { expect, it } from 'vitest';
import {
  GenerateSecretString,
  generateSecretString,
} from '../../../../infra/local/stack/provisioners/generate-secret-string.ts';

const generate = (options: object): string =>
  generateSecretString(GenerateSecretString.parse(options));

it.each<[string, object, RegExp]>([
  ['32 characters of each type', {}, /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w ])[!-~]{32}$/],
  ['letters and digits', { ExcludePunctuation: true, PasswordLength: 32 }, /^[A-Za-z0-9]{32}$/],
  [
    'digits',
    {
      ExcludePunctuation: true,
      ExcludeLowercase: 'true',
      ExcludeUppercase: true,
      PasswordLength: 3,
    },
    /^\d{3}$/,
  ],
  [
    'what is not excluded',
    {
      ExcludeNumbers: true,
      ExcludePunctuation: true,
      ExcludeUppercase: true,
      ExcludeCharacters: 'bcdefghijklmnopqrstuvwxyz',
      IncludeSpace: true,
      PasswordLength: 50,
    },
    /^(?=.* )(?=.*a)[a ]{50}$/,
  ],
  [
    'a key of the template',
    {
      SecretStringTemplate: '{"prefix":"whsec_"}',
      GenerateStringKey: 'key',
      ExcludePunctuation: true,
    },
    /^\{"prefix":"whsec_","key":"[A-Za-z0-9]{32}"\}$/,
  ],
])('generates %s', (_, options, expected) => {
  for (let times = 0; times < 20; times += 1) expect(generate(options)).toMatch(expected);
  expect(generate({ ...options, PasswordLength: 40 })).not.toBe(
    generate({ ...options, PasswordLength: 40 }),
  );
});

it.each<[string, object, string]>([
  ['a template without a key', { SecretStringTemplate: '{}' }, 'go together'],
  [
    'a template that is no object',
    { SecretStringTemplate: '[]', GenerateStringKey: 'k' },
    'SecretStringTemplate must be a JSON object',
  ],
  ['no length', { PasswordLength: 0 }, 'PasswordLength'],
  ['an unknown property', { Length: 3 }, 'Length'],
  [
    'no characters',
    {
      ExcludeLowercase: true,
      ExcludeUppercase: true,
      ExcludeNumbers: true,
      ExcludePunctuation: true,
    },
    'no character is left',
  ],
])('refuses %s', (_, options, message) => {
  expect(() => generate(options)).toThrow(message);
});
