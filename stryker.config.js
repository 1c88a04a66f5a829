/**
 * Mutation tests of the core and adapters/shared (`npm run mutate`): a surviving mutant is a rule that
 * no test states. One file: `npm run mutate -- --mutate functions/core/changes/diff.ts`.
 *
 * @type {import('@stryker-mutator/core').PartialStrykerOptions}
 */
export default {
  // Ports contain only types, and the built-in lists only data: tests have lists of their own.
  mutate: [
    'functions/core/**/*.ts',
    'functions/adapters/shared/*.ts',
    '!functions/core/ports/*.ts',
    '!functions/core/model/built-in-lists.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutate.config.ts' },
  coverageAnalysis: 'perTest',
  // Vitest strips types without checking them.
  disableTypeChecks: false,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: '.stryker/report.html' },
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/tmp',
  cleanTempDir: 'always',
};
