import { defineConfig } from 'vitest/config';

/** For mutation tests: only what tells about the core, and no file sees what another one imported. */
export default defineConfig({
  test: {
    include: [
      'test/functions/core/**/*.test.ts',
      'test/functions/adapters/shared/*.test.ts',
      'test/behaviour/*.test.ts',
    ],
    // A mutant that waits for ever fails its test. Stryker's own time-out, which is longer and costs
    // a new process, is left for those that loop for ever.
    testTimeout: 3_000,
  },
});
