import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Reasons why the core and its helpers are deterministic, and replacements. */
const DETERMINISTIC = {
  clock: 'Deterministic code runs in simulated time: use the Clock port.',
  chance: 'Deterministic code is replayed from a seed: use an injected `random`.',
  environment: 'Deterministic code has no environment: take the value from the options.',
  network: 'Deterministic code has no network: use a port.',
};

export default tseslint.config(
  { ignores: ['.stryker/', 'cdk.out/', 'coverage/', 'dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      // One program for all files: the project service takes a tenth longer.
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
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
      // Both check every assignment, and this code has nothing that they apply to.
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
              message: DETERMINISTIC.clock,
            })),
            { name: 'crypto', message: DETERMINISTIC.chance },
            { name: 'process', message: DETERMINISTIC.environment },
            { name: 'fetch', message: DETERMINISTIC.network },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: DETERMINISTIC.clock },
        { object: 'Math', property: 'random', message: DETERMINISTIC.chance },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: DETERMINISTIC.clock,
        },
        { selector: 'CallExpression[callee.name="Date"]', message: DETERMINISTIC.clock },
      ],
    },
  },
  {
    // Tests fail when they run; their types are checked by tsc. A forgotten `await` fails nothing.
    files: ['test/**'],
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
    },
  },
  {
    // Commands write to the terminal, and examples have no logger.
    files: ['**/main.ts', 'docs/examples/**'],
    rules: { 'no-console': 'off' },
  },
  { files: ['**/*.cjs'], languageOptions: { globals: { module: 'writable' } } },
);
