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

/** A miniature of the project that keeps all rules. */
const MINIATURE: Record<string, string> = {
  'functions/core/model/change.ts':
    "import { createHash } from 'node:crypto';\nimport * as z from 'zod/mini';\nexport const change = [createHash, z];",
  'functions/core/contract/index.ts': "export { change } from '../model/change.ts';",
  'functions/core/events/event.ts': "export { change } from '../contract/index.ts';",
  'functions/core/ports/topic.ts': "export { change as topic } from '../events/event.ts';",
  'functions/core/lists/read-list.ts': "export { topic } from '../ports/topic.ts';",
  'functions/core/changes/diff.ts': "export { change as diff } from '../model/change.ts';",
  'functions/core/run/run.ts':
    "import { topic } from '../lists/read-list.ts';\nimport { diff } from '../changes/diff.ts';\nexport const run = [topic, diff];",
  'functions/settings/settings.ts': "export { change } from '../core/model/change.ts';",
  'functions/adapters/shared/retry.ts': 'export const retry = 1;',
  'functions/adapters/sns/topic.ts':
    "import { SNSClient } from '@aws-sdk/client-sns';\nimport { change } from '../../core/model/change.ts';\nimport { retry } from '../shared/retry.ts';\nexport const topic = [SNSClient, change, retry];",
  'functions/poll/handler.ts':
    "import { topic } from '../adapters/sns/topic.ts';\nimport { run } from '../core/run/run.ts';\nimport type { Context } from 'aws-lambda';\nexport const handler = (context: Context) => [topic, run, context];",
  'infra/stack.ts':
    "import { Stack } from 'aws-cdk-lib';\nimport { change } from '../functions/settings/settings.ts';\nexport const stack = [Stack, change];",
  'functions/adapters/service-api/service-client.ts':
    "export { retry as client } from '../shared/retry.ts';",
  'functions/control/protocol.ts':
    "export type { change as Request } from '../core/model/change.ts';",
  'infra/local/stack/local-stack-file.ts': 'export const find = 1;',
  'infra/cli/main.ts':
    "import type { Request } from '../../functions/control/protocol.ts';\nimport { find } from '../local/stack/local-stack-file.ts';\nexport const main = (request: typeof Request) => [request, find];",
  'infra/local/main.ts':
    "export { client } from '../../functions/adapters/service-api/service-client.ts';",
  'infra/local/console/protocol.ts':
    "export type { change as Request } from '../../../functions/control/protocol.ts';",
  'infra/local/console/page/main.ts':
    "import { signal } from '@preact/signals';\nimport type { Request } from '../protocol.ts';\nexport const page = (request: typeof Request) => signal(request);",
  'docs/examples/consumer.ts': "export { change } from 'sitecast/events';",
  'test/support/fake.ts': 'export const fake = 1;',
  'test/miniature.test.ts': "import '../infra/local/main.ts';\nimport './support/fake.ts';",
};

/** A breach of each rule: files that replace, or are added to, those of the miniature. */
const BREACHES: Record<string, Record<string, string>> = {
  'no-circle': {
    'functions/core/model/change.ts': "import './other.ts';\nexport const change = 1;",
    'functions/core/model/other.ts': "import './change.ts';",
  },
  'core-is-pure': {
    'functions/core/model/other.ts':
      "import { readFile } from 'node:fs';\nexport const read = readFile;",
  },
  'model-imports-model': {
    'functions/core/model/other.ts': "export { topic } from '../ports/topic.ts';",
  },
  'contract-imports-model': {
    'functions/core/contract/other.ts': "export { change } from '../events/event.ts';",
  },
  'events-import-contract-and-model': {
    'functions/core/events/other.ts': "export { topic } from '../ports/topic.ts';",
  },
  'ports-import-events-and-model': {
    'functions/core/ports/other.ts': "export { diff } from '../changes/diff.ts';",
  },
  'stages-are-siblings': {
    'functions/core/changes/other.ts': "export { topic } from '../lists/read-list.ts';",
  },
  'commit-is-below-run': {
    'functions/core/commit/other.ts': "export { run } from '../run/run.ts';",
  },
  'adapters-are-siblings': {
    'functions/adapters/s3/store.ts': "export { topic } from '../sns/topic.ts';",
  },
  'only-handlers-wire-adapters': {
    'functions/poll/wiring.ts': "export { topic } from '../adapters/sns/topic.ts';",
  },
  'settings-import-model': {
    'functions/settings/other.ts': "export { diff } from '../core/changes/diff.ts';",
  },
  'infra-imports-only-settings': {
    'infra/stack.ts': "export { handler } from '../functions/poll/handler.ts';",
  },
  'local-is-a-client': {
    'infra/local/main.ts': "export { topic } from '../../functions/adapters/sns/topic.ts';",
  },
  'console-page-knows-its-protocol': {
    'infra/local/console/page/main.ts': "export * from '../../main.ts';",
  },
  'console-follows-the-session': {
    'infra/local/terminal/session.ts': "export * from '../console/protocol.ts';",
  },
  'functions-do-not-import-infra': {
    'functions/poll/handler.ts': "export { stack } from '../../infra/stack.ts';",
  },
  'cli-asks-the-control-function': {
    'infra/cli/main.ts': "export { handler } from '../../functions/poll/handler.ts';",
  },
  'nothing-imports-cli': {
    'infra/local/main.ts': "export * from '../cli/main.ts';",
  },
  'nothing-imports-local-or-test': {
    'infra/stack.ts': "export * from './local/main.ts';",
  },
  'local-does-not-import-test': {
    'infra/local/main.ts': "export { fake } from '../../test/support/fake.ts';",
  },
  'examples-use-what-the-package-exports': {
    'docs/examples/consumer.ts': "export { change } from '../../functions/core/model/change.ts';",
  },
  'bundled-code-uses-runtime-dependencies': {
    'functions/adapters/sns/store.ts': "import { Hono } from 'hono';\nexport const store = Hono;",
  },
  resolvable: {
    'functions/core/model/other.ts': "import './nowhere.ts';",
  },
};

interface Violation {
  readonly rule: string;
  readonly from: string;
}

let folder: string;
/** The violations in the files of each breach. */
const found = new Map<Record<string, string>, Violation[]>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sitecast-imports-'));
  for (const group of groups(Object.values(BREACHES))) {
    const files = [MINIATURE, ...group].flatMap((each) => Object.entries(each));
    const violations = await violationsIn(await build(Object.fromEntries(files)));
    for (const breach of group) {
      found.set(
        breach,
        violations.filter(({ from }) => from in breach),
      );
    }
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** The rules that the code in a folder breaks, and the file of each breach. */
async function violationsIn(baseDir: string): Promise<Violation[]> {
  const options = await extractOptions(path.join(ROOT, '.dependency-cruiser.cjs'));
  const { output } = await cruise(FOLDERS, { ...options, baseDir }, undefined, {
    tsConfig: extractTsConfig(path.join(ROOT, 'tsconfig.json')),
  });
  const { violations, totalCruised } = (output as ICruiseResult).summary;
  expect(totalCruised).toBeGreaterThan(0);
  return violations.map(({ rule, from }) => ({ rule: rule.name, from }));
}

/** Puts breaches of different files together: one check of many takes as long as one of a single breach. */
function groups(breaches: readonly Record<string, string>[]): Record<string, string>[][] {
  const all: Record<string, string>[][] = [];
  for (const files of breaches) {
    const isApart = (group: readonly Record<string, string>[]): boolean =>
      group.every((other) => Object.keys(files).every((file) => !(file in other)));
    const group = all.find(isApart);
    if (group) group.push(files);
    else all.push([files]);
  }
  return all;
}

/** Writes the files into a folder that shares the project's dependencies. */
async function build(files: Record<string, string>): Promise<string> {
  const project = await mkdtemp(path.join(folder, 'project-'));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, file)), { recursive: true });
    await writeFile(path.join(project, file), content);
  }
  for (const file of ['package.json', 'tsconfig.json']) {
    await cp(path.join(ROOT, file), path.join(project, file));
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'));
  return project;
}

describe('the import rules', () => {
  it('accept the miniature', async () => {
    expect(await violationsIn(await build(MINIATURE))).toEqual([]);
  });

  it('are each broken here', async () => {
    const { ruleSet } = await extractOptions(path.join(ROOT, '.dependency-cruiser.cjs'));
    const names = ruleSet?.forbidden?.map(({ name }) => name);
    expect(Object.keys(BREACHES).sort()).toEqual(names?.sort());
  });

  it.each(Object.entries(BREACHES))('find a breach of %s: %j', (rule, files) => {
    expect(found.get(files)?.map((violation) => violation.rule)).toContain(rule);
  });
});
