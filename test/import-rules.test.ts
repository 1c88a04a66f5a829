import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import type { ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['functions', 'infra', 'test', 'docs'];

/** A house in small that keeps all rules. */
const HOUSE: Record<string, string> = {
  'functions/core/change.ts':
    "import { createHash } from 'node:crypto';\nimport * as z from 'zod/mini';\nexport const change = [createHash, z];",
  'functions/core/contract/index.ts': 'export const contract = 1;',
  'functions/adapters/settings.ts': "export { change } from '../core/change.ts';",
  'functions/adapters/topic.ts':
    "import { SNSClient } from '@aws-sdk/client-sns';\nimport { change } from './settings.ts';\nexport const topic = [SNSClient, change];",
  'functions/poll/handler.ts':
    "import { topic } from '../adapters/topic.ts';\nimport type { Context } from 'aws-lambda';\nexport const handler = (context: Context) => [topic, context];",
  'infra/stack.ts': "import { Stack } from 'aws-cdk-lib';\nexport const stack = Stack;",
  'infra/local/main.ts': "export { topic } from '../../functions/adapters/topic.ts';",
  'docs/examples/consumer.ts': "export { contract } from 'sitecast/events';",
  'test/support/fake.ts': 'export const fake = 1;',
  'test/house.test.ts': "import '../infra/local/main.ts';\nimport './support/fake.ts';",
};

/** For each rule what breaks it, as file and content in place of, or besides, those of the house. */
const BREACHES: Record<string, Record<string, string>> = {
  'no-circle': {
    'functions/core/change.ts': "import './other.ts';\nexport const change = 1;",
    'functions/core/other.ts': "import './change.ts';",
  },
  'core-imports-only-core': {
    'functions/core/other.ts': "import { readFile } from 'node:fs';\nexport const read = readFile;",
  },
  'adapters-import-core-and-clients': {
    'functions/adapters/store.ts': "export { topic } from './topic.ts';",
  },
  'only-handlers-wire-adapters': {
    'functions/poll/wiring.ts': "export { topic } from '../adapters/topic.ts';",
  },
  'infra-names-handlers-by-path': {
    'infra/stack.ts': "export { handler } from '../functions/poll/handler.ts';",
  },
  'functions-do-not-import-infra': {
    'functions/poll/handler.ts': "export { stack } from '../../infra/stack.ts';",
  },
  'nothing-imports-local-or-test': {
    'infra/stack.ts': "export * from './local/main.ts';",
  },
  'local-does-not-import-test': {
    'infra/local/main.ts': "export { fake } from '../../test/support/fake.ts';",
  },
  'examples-use-what-the-package-exports': {
    'docs/examples/consumer.ts': "export { change } from '../../functions/core/change.ts';",
  },
  'bundled-code-uses-runtime-dependencies': {
    'functions/adapters/store.ts': "import { Hono } from 'hono';\nexport const store = Hono;",
  },
  resolvable: {
    'functions/core/other.ts': "import './nowhere.ts';",
  },
};

/** More ways to break a rule that are easily let through. */
const MORE_BREACHES: [rule: string, files: Record<string, string>][] = [
  [
    'core-imports-only-core',
    {
      'functions/core/other.ts':
        "import type { SNSClient } from '@aws-sdk/client-sns';\nexport type Topic = SNSClient;",
    },
  ],
  [
    'core-imports-only-core',
    { 'functions/core/other.ts': "export { topic } from '../adapters/topic.ts';" },
  ],
  [
    'adapters-import-core-and-clients',
    { 'functions/adapters/store.ts': "export { handler } from '../poll/handler.ts';" },
  ],
  [
    'nothing-imports-local-or-test',
    { 'functions/core/other.ts': "export { fake } from '../../test/support/fake.ts';" },
  ],
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sitecast-imports-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Names of the rules that the code below a folder breaks, each once. */
async function brokenRules(baseDir: string): Promise<string[]> {
  const options = await extractOptions(path.join(ROOT, '.dependency-cruiser.cjs'));
  const { output } = await cruise(FOLDERS, { ...options, baseDir }, undefined, {
    tsConfig: extractTsConfig(path.join(ROOT, 'tsconfig.json')),
  });
  const { violations, totalCruised } = (output as ICruiseResult).summary;
  expect(totalCruised).toBeGreaterThan(0);
  return [...new Set(violations.map(({ rule }) => rule.name))].sort();
}

/** Builds a house of its own with the project's dependencies. */
async function build(files: Record<string, string>): Promise<string> {
  const house = await mkdtemp(path.join(folder, 'house-'));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(house, file)), { recursive: true });
    await writeFile(path.join(house, file), content);
  }
  for (const file of ['package.json', 'tsconfig.json']) {
    await cp(path.join(ROOT, file), path.join(house, file));
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(house, 'node_modules'));
  return house;
}

describe('the import rules', () => {
  it('are kept by the whole tree', async () => {
    expect(await brokenRules(ROOT)).toEqual([]);
  });

  it('are kept by a house in small', async () => {
    expect(await brokenRules(await build(HOUSE))).toEqual([]);
  });

  it('are each tried here', async () => {
    const { ruleSet } = await extractOptions(path.join(ROOT, '.dependency-cruiser.cjs'));
    const names = ruleSet?.forbidden?.map(({ name }) => name);
    expect(Object.keys(BREACHES).sort()).toEqual(names?.sort());
  });

  it.each([...Object.entries(BREACHES), ...MORE_BREACHES])(
    'find what breaks %s: %j',
    async (rule, files) => {
      expect(await brokenRules(await build({ ...HOUSE, ...files }))).toContain(rule);
    },
  );
});
