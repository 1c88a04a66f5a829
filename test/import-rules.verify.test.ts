import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import type { ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** An import that each rule forbids. The project itself shows which are allowed. */
const BREACHES: Readonly<Record<string, readonly [folder: string, imported: string]>> = {
  'no-circle': ['functions/core/model', 'functions/core/model/no-circle.ts'],
  'core-is-pure': ['functions/core/model', 'node:fs'],
  'model-imports-model': ['functions/core/model', 'functions/core/ports/topic.ts'],
  'contract-imports-model': ['functions/core/contract', 'functions/core/events/event.ts'],
  'events-import-contract-and-model': ['functions/core/events', 'functions/core/ports/topic.ts'],
  'ports-import-events-and-model': ['functions/core/ports', 'functions/core/changes/diff.ts'],
  'stages-are-siblings': ['functions/core/changes', 'functions/core/lists/read-list.ts'],
  'commit-is-below-run': ['functions/core/commit', 'functions/core/run/run.ts'],
  'adapters-are-siblings': ['functions/adapters/s3', 'functions/adapters/sns/topic.ts'],
  'only-handlers-wire-adapters': ['functions/poll', 'functions/adapters/sns/topic.ts'],
  'settings-import-model': ['functions/settings', 'functions/core/changes/diff.ts'],
  'infra-imports-only-settings': ['infra', 'functions/poll/handler.ts'],
  'local-is-a-client': ['infra/local', 'functions/adapters/sns/topic.ts'],
  'console-page-knows-its-protocol': ['infra/local/console/page', 'infra/local/main.ts'],
  'console-follows-the-session': ['infra/local/terminal', 'infra/local/console/protocol.ts'],
  'functions-do-not-import-infra': ['functions/poll', 'infra/stack.ts'],
  'cli-asks-the-control-function': ['infra/cli', 'functions/poll/handler.ts'],
  'nothing-imports-cli': ['infra/local', 'infra/cli/main.ts'],
  'nothing-imports-local-or-test': ['infra', 'infra/local/main.ts'],
  'local-does-not-import-test': ['infra/local', 'test/support/fake.ts'],
  'examples-use-what-the-package-exports': ['docs/examples', 'functions/core/model/change.ts'],
  'bundled-code-uses-runtime-dependencies': ['functions/adapters/sns', 'hono'],
  resolvable: ['functions/core/model', './nowhere.ts'],
};

it('each import rule finds its breach', async () => {
  const project = await mkdtemp(path.join(tmpdir(), 'sitecast-imports-'));
  onTestFinished(() => rm(project, { recursive: true }));
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(project, file)), { recursive: true });
    await writeFile(path.join(project, file), text);
  };
  for (const [, imported] of Object.values(BREACHES)) {
    if (imported.includes('/') && !imported.startsWith('.')) await write(imported, 'export {};');
  }
  for (const [rule, [folder, imported]] of Object.entries(BREACHES)) {
    const isOurs = imported.includes('/') && !imported.startsWith('.');
    const to = isOurs ? `./${path.relative(folder, imported)}` : imported;
    await write(`${folder}/${rule}.ts`, `export * from '${to}';`);
  }
  for (const file of ['package.json', 'tsconfig.json']) {
    await cp(path.join(ROOT, file), path.join(project, file));
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'));
  const options = await extractOptions(path.join(ROOT, '.dependency-cruiser.cjs'));
  const folders = ['functions', 'infra', 'test', 'docs'];
  const { output } = await cruise(folders, { ...options, baseDir: project }, undefined, {
    tsConfig: extractTsConfig(path.join(ROOT, 'tsconfig.json')),
  });
  const { violations } = (output as ICruiseResult).summary;
  const found = violations.map(({ rule, from }) => `${rule.name} ${from}`);
  const rules = options.ruleSet?.forbidden?.map(({ name = '' }) => name) ?? [];
  expect(Object.keys(BREACHES).sort()).toEqual(rules.toSorted());
  for (const [rule, [folder]] of Object.entries(BREACHES)) {
    expect.soft(found).toContain(`${rule} ${folder}/${rule}.ts`);
  }
});
