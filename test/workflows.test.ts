import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const files = await Array.fromAsync(glob('.github/workflows/*.yml'));
const workflows = await Promise.all(files.map((file) => readFile(file, 'utf8')));

it('each action is pinned by the hash of its commit, beside its version', () => {
  const actions = workflows.flatMap((text) => [...text.matchAll(/\buses: (.*)/g)]);
  expect(actions.length).toBeGreaterThan(3);
  for (const [, action] of actions) {
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

it('the package is tested on the oldest Node.js that it promises', async () => {
  const manifest = JSON.parse(await readFile('infra/package/manifest.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const [, oldest] = workflows.flatMap((text) => /node: \['([\d.]+)'/.exec(text) ?? []);
  expect(manifest.engines.node).toBe(`>=${oldest}`);
});
