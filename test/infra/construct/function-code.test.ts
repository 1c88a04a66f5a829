import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import type { AssetCode } from 'aws-cdk-lib/aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { bundleFunction, codeOf, FUNCTIONS } from '../../../infra/construct/function-code.ts';

it("a function's code is modules with their source maps, the same for each stack", () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  onTestFinished(() => {
    rmSync(outdir, { recursive: true });
  });
  const app = new App({ outdir });
  const [first, second] = ['A', 'B'].map((id) => codeOf('poll').bind(new Stack(app, id)));
  expect(first?.s3Location?.objectKey).toBeDefined();
  expect(second?.s3Location?.objectKey).toBe(first?.s3Location?.objectKey);
  const [folder = ''] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  const files = readdirSync(path.join(outdir, folder));
  const modules = files.filter((file) => file.endsWith('.mjs'));
  expect(modules).toContain('index.mjs');
  expect(files.sort()).toEqual(modules.flatMap((file) => [file, `${file}.map`]).sort());
  const module = readFileSync(path.join(outdir, folder, 'index.mjs'), 'utf8');
  expect(module).toContain('export{');
  expect(module).toContain('//# sourceMappingURL=index.mjs.map');
});

it('a start of the poller loads no jobs and no client of S3', () => {
  const { files, metafile } = bundleFunction('poll');
  const loadedAtStart = new Set(['index.mjs']);
  for (const name of loadedAtStart) {
    for (const { path: file, kind } of metafile.outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && file in files) loadedAtStart.add(file);
    }
  }
  const textsOf = (names: Iterable<string>): string =>
    Array.from(names, (name) => Buffer.from(files[name] ?? '').toString()).join('');
  const others = Object.keys(files).filter(
    (file) => file.endsWith('.mjs') && !loadedAtStart.has(file),
  );
  for (const text of ['A job was interrupted', 's3:PutObject']) {
    expect(textsOf(loadedAtStart)).not.toContain(text);
    expect(textsOf(others)).toContain(text);
  }
});

/** An error message of the SDK advises to import it. */
const ADVISED = '@aws-sdk/signature-v4-crt';

it.each(FUNCTIONS)('the function %s imports only modules of its bundle and of Node', (name) => {
  const { path: folder } = codeOf(name) as AssetCode;
  const files = readdirSync(folder);
  const imported = files
    .filter((file) => file.endsWith('.mjs'))
    .flatMap((file) => [
      ...readFileSync(path.join(folder, file), 'utf8').matchAll(
        /(?<!")\b(?:from|import) ?\(?"([^"]+)"/g,
      ),
    ])
    .map(([, specifier = '']) => specifier);
  expect(imported.length).toBeGreaterThan(5);
  const known = (specifier: string): boolean =>
    isBuiltin(specifier) || files.includes(specifier.replace(/^\.\//, '')) || specifier === ADVISED;
  expect(imported.filter((specifier) => !known(specifier))).toEqual([]);
});
