import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-scripts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it.each(['lint', 'test'])('npm run %s shows the findings of all its parts', async (name) => {
  const folder = await makeFolder();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const isPart = name === 'lint' ? /^lint:/ : /^(lint|test):/;
  const parts = Object.keys(scripts).filter((part) => isPart.test(part));
  // Each part fails, and the first one has failed before any other finds something.
  const fakes = parts.map((part, i): [string, string] => [
    part,
    `sleep ${Math.sign(i)} && echo "in ${part}" && exit 1`,
  ]);
  const fakeScripts: Record<string, string> = Object.fromEntries(fakes);
  const manifest = { scripts: { ...fakeScripts, [name]: scripts[name] } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const ended = spawnSync('npm', ['run', name], { cwd: folder, encoding: 'utf8' });
  expect(ended.status).not.toBe(0);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(ended.stdout).toContain(`in ${part}`);
});
