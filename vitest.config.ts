import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/support/fill-compile-cache.ts';

/** No test reads in which line a construct was made; to record that takes a sixth of a synthesis. */
const CDK_CONTEXT = {
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-creation-stack-traces': true,
};

/** Files that only `npm run verify` runs. */
const VERIFY = 'test/**/*.verify.test.ts';
/** Documents are made of the real lists. */
const DOCUMENTS = ['test/event-docs.test.ts', 'test/config-docs.test.ts'];

/** Where files take long. Started last, they would run alone. */
const SLOW = /\/test\/(browser|contracts|docs|e2e|infra\/cli|simulation|tools)\//;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...all.filter(isSlow), ...all.filter((file) => !isSlow(file))];
  }
}

/** Tests of the code, with the built-in lists of tests in place of the real ones. */
function ofCode(name: string, include: string[], exclude: string[]) {
  return {
    extends: true as const,
    ssr: { resolve: { conditions: ['@sitecast/fixture'] } },
    test: {
      ...{ name, include, exclude },
      globalSetup: ['test/support/bundle-once.ts', 'test/support/fill-compile-cache.ts'],
      env: { NODE_OPTIONS: '--conditions=@sitecast/fixture' },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      ofCode('test', ['{test,patches}/**/*.test.ts'], [VERIFY, ...DOCUMENTS]),
      ofCode('verify', [VERIFY], []),
      {
        extends: true,
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
      // The compiler of its validation costs seconds of CPU; `app.verify.test.ts` validates.
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify(CDK_CONTEXT),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    },
    // No test changes modules that others import, and isolation would double the loading time.
    isolate: false,
  },
});
