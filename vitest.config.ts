import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most of the time goes into waiting for servers and child processes: use both of two cores.
    maxWorkers: 2,
    // No test changes what others import, and a worker per file would double the loading time.
    isolate: false,
  },
});
