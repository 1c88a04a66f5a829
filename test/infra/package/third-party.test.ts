import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { thirdPartyNotices } from '../../../infra/package/third-party.ts';

/** A folder with packages, by name: their licence and files. */
async function rootWith(
  packages: Record<string, [license: unknown, files: Record<string, string>]>,
) {
  const root = await mkdtemp(path.join(tmpdir(), 'sitecast-notices-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, [license, files]] of Object.entries(packages)) {
    const folder = path.join(root, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    const manifest = JSON.stringify({ name, version: '1.2.3', license, author: { name: 'Ann' } });
    for (const [file, text] of Object.entries({ 'package.json': manifest, ...files }))
      await writeFile(path.join(folder, file), text);
  }
  return root;
}

it('refuses a package without the text that its licence asks for', async () => {
  const root = await rootWith({ f: ['ISC', {}] });
  expect(() => thirdPartyNotices(['node_modules/f/x.js'], root)).toThrow(
    /^The licence of f \(ISC\) has no file in .*: add its text to the package\.$/,
  );
});
