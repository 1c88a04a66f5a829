import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  codeFileOf,
  makeTemplateAsset,
  RELEASED_FUNCTIONS,
} from '../../../infra/package/release/template-asset.ts';

const FILE = 'docs/examples/sitecast.tf';
const text = readFileSync(FILE, 'utf8');
const [version = ''] = /(?<=version = ")[^"]+/.exec(text) ?? [];
const { Parameters, Outputs } = makeTemplateAsset(version) as {
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
  expect(text).toContain(`toset(${JSON.stringify(RELEASED_FUNCTIONS).replace(',', ', ')})`);
  const file = codeFileOf('poll', '${local.version}').replace('poll', '${each.key}');
  expect(text).toContain(`"${file}"`);
  expect(text).toContain(`/${file}"`);
  const outputs = [...text.matchAll(/outputs\["(\w+)"\]/g)].map(([, name]) => name);
  expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(outputs));
});

it.skipIf(!hasTerraform)('sitecast.tf is what terraform fmt writes', () => {
  const { stdout, status } = spawnSync('terraform', ['fmt', '-check', '-diff', FILE]);
  expect(String(stdout)).toBe('');
  expect(status).toBe(0);
});
