import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, most of it waiting: for time-outs, and for processes of its own. Begun first,
 * it waits while the others work; begun last, it would keep nobody but itself busy. Without this
 * list a clean checkout goes by the size of the files.
 */
const SLOW = [
  'test/simulation/embedded.test.ts',
  'test/simulation/simulation.test.ts',
  'test/infra/local/main.test.ts',
  'test/functions/poll/aws-clients.test.ts',
  'test/e2e/least-privilege.test.ts',
  'test/infra/app.test.ts',
  'test/package.test.ts',
  'test/e2e/fifo.test.ts',
  'test/e2e/changes.test.ts',
  'test/e2e/nested.test.ts',
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const slow = SLOW.flatMap((name) => all.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...slow, ...all.filter((file) => !slow.includes(file))];
  }
}

export default defineConfig({
  // What the package exports is read from its source here.
  ssr: { resolve: { conditions: ['@sitecast/source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Much of the time goes into waiting for servers and child processes: one more than two cores
    // keeps both of them busy.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // No test changes what others import, and a worker per file would double the loading time.
    isolate: false,
  },
});
