import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { templateOf } from './synthesize.ts';

/**
 * Whole templates, to be read with each change of them: a logical ID that changes replaces its resource. The hash
 * of the function's code is left out. `npx vitest run test/infra/templates.test.ts -u` writes them again.
 */
it.each([
  ['least', () => Promise.resolve({})],
  ['example', exampleStage],
])('the template of the %s config is as it was read last', async (name, readConfig) => {
  const template = templateOf(await readConfig()).toJSON();
  const text = `${JSON.stringify(template, null, 2)}\n`.replaceAll(/[0-9a-f]{64}/g, '<hash>');
  await expect(text).toMatchFileSnapshot(`templates/${name}.json`);
});

/** The stage with everything switched on. */
async function exampleStage(): Promise<Record<string, unknown>> {
  const url = new URL('../../docs/config.example.json', import.meta.url);
  const { context } = JSON.parse(await readFile(url, 'utf8')) as {
    context: { notifier: { example: Record<string, unknown> } };
  };
  return context.notifier.example;
}
