import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs the tests of single modules before those of whole runs, which take longer. */
class UnitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isUnit = ({ moduleId }: TestSpecification) => moduleId.includes('/test/functions/');
    const all = await super.sort(files);
    return [...all.filter(isUnit), ...all.filter((file) => !isUnit(file))];
  }
}

/** For mutation tests: only tests of the mutated code. */
export default defineConfig({
  // The built-in lists of tests.
  ssr: { resolve: { conditions: ['@sitecast/fixture'] } },
  test: {
    include: [
      'test/functions/core/**/*.test.ts',
      'test/functions/adapters/shared/*.test.ts',
      'test/behaviour/*.test.ts',
    ],
    // They take seconds: as many for each mutant.
    exclude: ['test/**/*.verify.test.ts'],
    // As in the other tests: each mutant has a process of its own anyway.
    isolate: false,
    sequence: { sequencer: UnitsFirst },
    // Fails mutants that wait for ever. Stryker's own time-out is longer and costs a new process;
    // it remains for mutants that loop for ever.
    testTimeout: 10_000,
  },
});
