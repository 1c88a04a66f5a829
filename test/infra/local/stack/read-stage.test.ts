import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readStages, toLocalStage } from '../../../../infra/local/stack/read-stage.ts';

async function folderWith(cdkJson: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'cdk.json'), cdkJson);
  return folder;
}

it('reads the stages of cdk.json and the example, also one that is no object', async () => {
  const folder = await folderWith('{"context":{"notifier":{"dev":{"shards":2},"odd":"x"}}}');
  const stages = readStages(folder);
  expect(Object.keys(stages)).toEqual(['dev', 'odd', 'example']);
  expect(stages['odd']).toBe('x');
});

it('names the file that is no JSON', async () => {
  const folder = await folderWith('{"context": }');
  expect(() => readStages(folder)).toThrow(`${folder}/cdk.json is no valid JSON`);
});

it('leaves out what only a deployment can use', () => {
  expect(toLocalStage({ baseUrl: 'https://api.test', region: 'x', shards: 2 })).toEqual({
    shards: 2,
  });
});
