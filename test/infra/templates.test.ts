import { expect, it } from 'vitest';
import { readExample } from '../../infra/config/select-stages.ts';
import { templateOf } from './synthesize.ts';

// To be read with each change of them: a logical ID that changes replaces its resource.
// `npx vitest run test/infra/templates.test.ts -u` writes them again.

it('the template of the least config is as it was read last', async () => {
  const text = JSON.stringify(templateOf().toJSON(), null, 2);
  // Without the hashes of the functions' code.
  await expect(`${text.replaceAll(/[0-9a-f]{64}/g, '<hash>')}\n`).toMatchFileSnapshot(
    'templates/least.json',
  );
});

it('the resources of the stage with everything switched on are those that were read last', async () => {
  const example = readExample()['example'] as Record<string, unknown>;
  const { Resources } = templateOf(example).toJSON() as {
    readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
  };
  const lines = Object.entries(Resources).map(([id, { Type }]) => `${id} ${Type}\n`);
  await expect(lines.sort().join('')).toMatchFileSnapshot('templates/example.txt');
});
