import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Why the core has none of this, and what it uses. */
const CORE_USES = {
  clock: 'The core is run in simulated time: use the Clock port.',
  chance: 'The core is run again from a seed: take `random` from the options.',
  environment: 'The core knows no environment: take it from the options.',
  network: 'The core knows no network: use a port.',
};

export default tseslint.config(
  { ignores: ['.stryker/', 'cdk.out/', 'coverage/', 'dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // They look at every assignment, and there is nothing here that they are about.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['functions/core/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          checkGlobalObject: true,
          globals: [
            ...['setTimeout', 'setInterval', 'setImmediate', 'performance'].map((name) => ({
              name,
              message: CORE_USES.clock,
            })),
            { name: 'crypto', message: CORE_USES.chance },
            { name: 'process', message: CORE_USES.environment },
            { name: 'fetch', message: CORE_USES.network },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: CORE_USES.clock },
        { object: 'Math', property: 'random', message: CORE_USES.chance },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: CORE_USES.clock,
        },
        { selector: 'CallExpression[callee.name="Date"]', message: CORE_USES.clock },
      ],
    },
  },
  {
    // Commands write to the terminal, and examples have no logger; all else goes through it.
    files: ['**/main.ts', 'docs/examples/**'],
    rules: { 'no-console': 'off' },
  },
  { files: ['**/*.cjs'], languageOptions: { globals: { module: 'writable' } } },
);
