import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, it, onTestFinished } from 'vitest';
import { codeOf } from '../../../infra/constructs/function-code.ts';
import { certificatesOf } from '../../../infra/constructs/network.ts';
import { SURROUNDINGS } from '../../support/config-samples.ts';

it('further files lie beside the module', () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  onTestFinished(() => {
    rmSync(outdir, { recursive: true });
  });
  codeOf('poll', certificatesOf(SURROUNDINGS)).bind(new Stack(new App({ outdir }), 'A'));
  const [folder = ''] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  const certificates = readFileSync(path.join(outdir, folder, 'ca.pem'), 'utf8');
  expect(certificates).toContain('-----BEGIN CERTIFICATE-----');
});

it("a function's code is one module with its source map, the same for each stack", () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  onTestFinished(() => {
    rmSync(outdir, { recursive: true });
  });
  const app = new App({ outdir });
  const [first, second] = ['A', 'B'].map((id) => codeOf('poll').bind(new Stack(app, id)));
  expect(first?.s3Location?.objectKey).toBeDefined();
  expect(second?.s3Location?.objectKey).toBe(first?.s3Location?.objectKey);
  const [folder = ''] = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  expect(readdirSync(path.join(outdir, folder)).sort()).toEqual(['index.mjs', 'index.mjs.map']);
  const module = readFileSync(path.join(outdir, folder, 'index.mjs'), 'utf8');
  expect(module).toContain('export{');
  expect(module).toContain('//# sourceMappingURL=index.mjs.map');
});
