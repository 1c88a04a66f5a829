import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { checkTag, readNotes } from './release-notes.ts';
import { codeFileOf, makeTemplateAsset, RELEASED_FUNCTIONS } from './template-asset.ts';

// Makes in dist/release what a release uploads, of the packages that `npm run build` made. Without
// a tag, the version need not be ready: npm run release:dry [-- v0.1.0]

const DIST = path.resolve(import.meta.dirname, '../../../dist');
const OUT = path.join(DIST, 'release');
/** The same code gives the same zip files. */
const ANY_TIME = new Date('2020-01-01T00:00:00Z');

const { version } = JSON.parse(read('../package.json')) as { readonly version: string };
const [, , tag] = process.argv;
/** The repository's owner and name, in a workflow of GitHub. */
const { GITHUB_REPOSITORY: repository } = process.env;

if (tag !== undefined) checkTag(tag, version);
const notes = readNotes(
  read('../CHANGELOG.md'),
  version,
  tag && `https://github.com/${repository ?? '<repository>'}/blob/${tag}`,
);
writeFileSync(path.join(DIST, 'release-notes.md'), notes);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
for (const name of ['sitecast', 'sitecast-events']) pack(path.join(DIST, name));
for (const name of RELEASED_FUNCTIONS) {
  zip(path.join(DIST, 'sitecast/functions', name), codeFileOf(name, version));
}
const template = JSON.stringify(makeTemplateAsset(version), null, 2);
writeFileSync(path.join(OUT, `sitecast-${version}.template.json`), `${template}\n`);
for (const file of ['LICENSE', 'THIRD-PARTY-NOTICES.txt']) {
  copyFileSync(path.join(DIST, 'sitecast', file), path.join(OUT, file));
}
const sums = readdirSync(OUT).sort().map(sumOf).join('');
writeFileSync(path.join(OUT, 'SHA256SUMS'), sums);
process.stdout.write(`Made in dist/release; nothing is published.\n${sums}`);

function read(file: string): string {
  return readFileSync(path.join(DIST, file), 'utf8');
}

/** npm demands that a package with provenance names the repository that builds it. */
function pack(folder: string): void {
  const url = `git+https://github.com/${repository}.git`;
  if (repository !== undefined) run('npm', ['pkg', 'set', `repository.url=${url}`], folder);
  run('npm', ['pack', '--silent', '--pack-destination', OUT], folder);
}

function zip(folder: string, file: string): void {
  const files = readdirSync(folder).sort();
  for (const each of files) utimesSync(path.join(folder, each), ANY_TIME, ANY_TIME);
  run('zip', ['-9', '-X', path.join(OUT, file), ...files], folder);
}

function run(program: string, args: readonly string[], cwd: string): void {
  // zip writes local times.
  const env = { ...process.env, TZ: 'UTC' };
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function sumOf(file: string): string {
  const sum = createHash('sha256').update(readFileSync(path.join(OUT, file)));
  return `${sum.digest('hex')}  ${file}\n`;
}
