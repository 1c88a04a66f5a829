import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/support/fill-compile-cache.ts';

/**
 * The slowest files: first those that wait most, for time-outs and child processes, while others work, then those that
 * work. Started last, they would wait or work alone. A clean checkout would sort by file size.
 */
const SLOW = [
  'test/browser/console.test.ts',
  'test/e2e/throttled-topic.test.ts',
  'test/e2e/quarantine.test.ts',
  'test/e2e/control.test.ts',
  'test/functions/deliver/handler.test.ts',
  'test/e2e/throttled-table.test.ts',
  'test/e2e/reconcile.test.ts',
  'test/e2e/webhooks.test.ts',
  'test/e2e/least-privilege.test.ts',
  'test/e2e/cli.test.ts',
  'test/functions/poll/aws-clients.test.ts',
  'test/infra/local/main.test.ts',
  'test/simulation/simulation.test.ts',
  'test/bench/bench.test.ts',
  'test/contracts/state-store.test.ts',
  'test/behaviour/limited-lists.test.ts',
  'test/simulation/crash-points.test.ts',
  'test/e2e/shards.test.ts',
  'test/package.test.ts',
  'test/infra/local/preflight/preflight.test.ts',
  'test/infra/app.test.ts',
  'test/infra/cli/deployed.test.ts',
  'test/behaviour/quotas.test.ts',
  'test/simulation/main.test.ts',
  'test/simulation/sabotage.test.ts',
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const slow = SLOW.flatMap((name) => all.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...slow, ...all.filter((file) => !slow.includes(file))];
  }
}

export default defineConfig({
  // The package's exports resolve to their sources.
  ssr: { resolve: { conditions: ['@sitecast/source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/bundle-once.ts', 'test/support/fill-compile-cache.ts'],
    // Long enough for a machine that is busy with other work, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests often wait for servers and child processes: four workers keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // The compiler of its validation costs seconds of CPU; test/infra/app.test.ts validates the templates.
    env: { CDK_VALIDATION: 'false', NODE_COMPILE_CACHE: COMPILE_CACHE },
    // No test changes modules that others import, and isolation would double the loading time.
    isolate: false,
  },
});
