import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeTemplateAsset } from '../../../infra/package/template-asset.ts';

const FILE = 'docs/examples/sitecast.tf';
const text = readFileSync(FILE, 'utf8');
const [version = ''] = /(?<=version = ")[^"]+/.exec(text) ?? [];
const asset = makeTemplateAsset(version);
const { Parameters, Outputs } = asset.template as {
  readonly Parameters: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Outputs: object;
};
const hasTerraform = spawnSync('terraform', ['-version']).status === 0;

it('sitecast.tf deploys the version of package.json', () => {
  const { version: released } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
  };
  expect(version).toBe(released);
});

it('sitecast.tf gives the parameters that the template needs, and no others', () => {
  const [, block = ''] = /parameters = \{\n(.*?)\}/s.exec(text) ?? [];
  const given = [...block.matchAll(/^ *(\w+) +=/gm)].map(([, name]) => name);
  expect(Object.keys(Parameters)).toEqual(expect.arrayContaining(given));
  const needed = Object.keys(Parameters).filter((name) => !('Default' in (Parameters[name] ?? {})));
  expect(given).toEqual(expect.arrayContaining(needed));
});

it('sitecast.tf names the files with the code, and outputs of the template', () => {
  const files = ['poll', 'control'].map((name) => `sitecast-${version}-${name}.zip`);
  expect(Object.values(asset.codeFiles)).toEqual(files);
  expect(text).toContain('toset(["poll", "control"])');
  const outputs = [...text.matchAll(/outputs\["(\w+)"\]/g)].map(([, name]) => name);
  expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(outputs));
});

it.skipIf(!hasTerraform)('sitecast.tf is what terraform fmt writes', () => {
  const { stdout, status } = spawnSync('terraform', ['fmt', '-check', '-diff', FILE]);
  expect(String(stdout)).toBe('');
  expect(status).toBe(0);
});
