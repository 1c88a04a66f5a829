/**
 * Mutation tests of the core (`npm run mutate`): each change of the code that no test notices is a
 * rule that no test states. One file: `npm run mutate -- --mutate functions/core/changes/diff.ts`.
 *
 * @type {import('@stryker-mutator/core').PartialStrykerOptions}
 */
export default {
  // There is nothing to mutate in files of types only.
  mutate: [
    'functions/core/**/*.ts',
    'functions/adapters/shared/*.ts',
    '!functions/core/ports/*.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutate.config.ts' },
  coverageAnalysis: 'perTest',
  // Nothing here checks types: vitest strips them.
  disableTypeChecks: false,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: '.stryker/report.html' },
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/tmp',
  cleanTempDir: 'always',
};
