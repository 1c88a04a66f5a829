import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/support/fill-compile-cache.ts';

/** No test reads in which line a construct was made, and to record that takes a sixth of a synthesis. */
const CDK_CONTEXT = {
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-creation-stack-traces': true,
};

/** The slow files that mostly wait, for time-outs and child processes. */
const WAITING = [
  'test/e2e/cli.test.ts',
  'test/e2e/throttled-topic.test.ts',
  'test/e2e/quarantine.test.ts',
  'test/infra/cli/dev/session.test.ts',
  'test/e2e/least-privilege.test.ts',
  'test/e2e/throttled-table.test.ts',
  'test/infra/cli/check/check.test.ts',
  'test/e2e/shards.test.ts',
  'test/functions/deliver/handler.test.ts',
  'test/functions/adapters/sqs/webhook-queues.test.ts',
  'test/infra/local/lambda/event-source-mapping.test.ts',
  'test/functions/control/webhooks.test.ts',
  'test/functions/adapters/lambda/event-source-mapping.test.ts',
  'test/functions/control/handler.test.ts',
  'test/functions/adapters/shared/request-handler.test.ts',
  'test/infra/construct/function-code.test.ts',
  'test/e2e/no-answer.test.ts',
];

/** The slow files that mostly work. */
const WORKING = [
  'test/browser/console.test.ts',
  'test/contracts/state-store.test.ts',
  'test/e2e/webhooks.test.ts',
  'test/e2e/control.test.ts',
  'test/infra/cli/dev/dev.test.ts',
  'test/e2e/reconcile.test.ts',
  'test/package.test.ts',
  'test/tools/bench/bench.verify.test.ts',
  'test/infra/app.test.ts',
  'test/behaviour/limited-lists.test.ts',
  'test/simulation/simulation.test.ts',
  'test/simulation/main.test.ts',
  'test/simulation/crash-points.test.ts',
  'test/simulation/sabotage.test.ts',
  'test/simulation/entity-errors.test.ts',
  'test/e2e/changes.test.ts',
];

/**
 * The slow files, first: started last, they would run alone, as a clean checkout sorts by size. Those that wait take
 * turns with those that work, which keeps two cores busy.
 */
const SLOW = WORKING.flatMap((file, index) => [file, ...WAITING.slice(index, index + 1)]).concat(
  WAITING.slice(WORKING.length),
);

/** Documents are made of the real lists. */
const DOCUMENTS = ['test/event-docs.test.ts', 'test/config-docs.test.ts'];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const slow = SLOW.flatMap((name) => all.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...slow, ...all.filter((file) => !slow.includes(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // The package's exports resolve to their sources, and the built-in lists to those of tests.
        ssr: { resolve: { conditions: ['@sitecast/source', '@sitecast/fixture'] } },
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: DOCUMENTS,
          globalSetup: ['test/support/bundle-once.ts', 'test/support/fill-compile-cache.ts'],
          env: { NODE_OPTIONS: '--conditions=@sitecast/fixture' },
        },
      },
      {
        extends: true,
        ssr: { resolve: { conditions: ['@sitecast/source'] } },
        test: { name: 'documents', include: DOCUMENTS },
      },
    ],
    // Long enough for a machine that is busy with other work, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests often wait for servers and child processes: five workers keep two cores busy.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    env: {
      // The compiler of its validation costs seconds of CPU; test/infra/app.test.ts validates the templates.
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify(CDK_CONTEXT),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    },
    // No test changes modules that others import, and isolation would double the loading time.
    isolate: false,
  },
});
