import { execFile } from 'node:child_process';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { typeCheck } from './type-check.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** Builds what npm publishes, with the lists of the package, not those of tests. */
export async function buildPackages(): Promise<void> {
  const { NODE_OPTIONS, ...env } = process.env;
  // A compiler that seldom collects garbage takes less CPU.
  await run(process.execPath, ['infra/package/build.ts'], {
    ...{ cwd: ROOT, env: { ...env, GOGC: '400' } },
  });
}

/** Makes an empty project outside the repository. */
export async function makeProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-package-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Packs a package and installs it with npm, without a registry. @returns its files. */
export async function install(name: string, folder: string): Promise<readonly string[]> {
  const args = ['pack', `./dist/${name}`, '--ignore-scripts', '--json'];
  const { stdout } = await run('npm', [...args, '--pack-destination', folder], { cwd: ROOT });
  const [archive] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  await run('npm', ['install', '--offline', `./${archive?.filename}`], { cwd: folder });
  return archive?.files.map(({ path }) => path) ?? [];
}

/** Installs packages that others publish. */
export async function link(folder: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

/** The source of an example of the docs. */
export const readExample = (name: string) =>
  readFile(join(ROOT, `docs/examples/${name}.ts`), 'utf8');

/** Writes a program to be type-checked, and as JavaScript: not every Node.js strips types. */
export async function writeProgram(folder: string, name: string, source: string): Promise<void> {
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  await writeFile(join(folder, `${name}.ts`), source);
  await writeFile(join(folder, `${name}.js`), code);
}

/** Type-checks a file as a strict project. @returns the files that were read, from its folder. */
export async function typeCheckFile(file: string, options: Readonly<Record<string, unknown>>) {
  const folder = dirname(file);
  const project = await mkdtemp(join(folder, 'project-'));
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true },
    ...{ target: 'es2024', types: [], listFiles: true, ...options },
  };
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [file] }),
  );
  const read = (await typeCheck(project)).trimEnd().split('\n');
  return read.map((path) => relative(folder, path));
}

/** Reads the package.json of a folder. */
export async function readManifest(folder: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  return JSON.parse(text) as Record<string, unknown>;
}
