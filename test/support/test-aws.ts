import { afterAll, beforeAll } from 'vitest';
import { startTestAws, type TestAws } from './aws.ts';

/**
 * The embedded services for all tests of the calling file or `describe`: started before the first,
 * closed after the last. Use it within hooks and tests only.
 */
export function testAws(): TestAws {
  let started: TestAws | undefined;
  beforeAll(async () => {
    started = await startTestAws();
  });
  afterAll(() => started?.close());
  return new Proxy({} as TestAws, {
    get: (_, name) => {
      if (started === undefined) throw new Error('The embedded services start before the tests.');
      return Reflect.get(started, name) as unknown;
    },
  });
}
