import { defineConfig } from 'vitest/config';

/** For mutation tests: only tests of the mutated code, each file isolated. */
export default defineConfig({
  test: {
    include: [
      'test/functions/core/**/*.test.ts',
      'test/functions/adapters/shared/*.test.ts',
      'test/behaviour/*.test.ts',
    ],
    // Fails mutants that wait for ever. Stryker's own time-out is longer and costs a new process; it
    // remains for mutants that loop for ever.
    testTimeout: 10_000,
  },
});
