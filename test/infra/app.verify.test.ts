import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigInvalidError } from '../../infra/config/config-invalid-error.ts';
import { readExample } from '../../infra/config/select-stages.ts';
import { BUNDLES_VARIABLE } from '../../infra/construct/function-code.ts';
import { addStages } from '../../infra/stack.ts';
import { ADDRESSES } from '../support/config-samples.ts';
import { contextOfCdkJson } from './synthesize.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sitecast-synth-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Runs the app as the CDK command does, its validation of the templates included. */
function runApp(context: Record<string, unknown>): Promise<{ status: number; errors: string }> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    [BUNDLES_VARIABLE]: process.env[BUNDLES_VARIABLE],
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: 'true',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['infra/app.ts'], { cwd: ROOT, env }, (error, _, errors) => {
      resolve({ status: error === null ? 0 : Number(error.code), errors });
    });
  });
}

describe('the CDK app', () => {
  it('makes a valid stack of each stage and of the example, with its own config and environment', async () => {
    const context = contextOfCdkJson();
    const prod = { ...ADDRESSES, perPage: 20, account: '123456789012', region: 'eu-central-1' };
    const notifier = { ...(context['notifier'] as object), prod, ...readExample() };
    const { status, errors } = await runApp({ ...context, notifier });
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    const read = (file: string) => readFile(path.join(folder, file), 'utf8');
    expect(await read('Sitecast-dev.template.json')).toContain('\\"perPage\\":1000,');
    expect(await read('Sitecast-prod.template.json')).toContain('\\"perPage\\":20,');
    const { artifacts } = JSON.parse(await read('manifest.json')) as {
      artifacts: Record<string, { environment?: string }>;
    };
    expect(artifacts['Sitecast-dev']?.environment).toBe('aws://unknown-account/unknown-region');
    expect(artifacts['Sitecast-prod']?.environment).toBe('aws://123456789012/eu-central-1');
  });

  it('makes the example, with everything switched on, and no other stage if that is asked for', async () => {
    const app = new App({ outdir: folder, context: { ...contextOfCdkJson(), stage: 'example' } });
    addStages(app);
    app.synth();
    const files = await readdir(folder);
    expect(files.filter((file) => file.endsWith('.template.json'))).toEqual([
      'Sitecast-example.template.json',
    ]);
  });

  it('names the stages that exist if another is asked for', () => {
    const app = new App({ outdir: folder, context: { ...contextOfCdkJson(), stage: 'nope' } });
    const message = 'There is no stage "nope"; allowed: example, dev';
    expect(() => {
      addStages(app);
    }).toThrow(new ConfigInvalidError(message));
  });

  it('exits with status 1 and only the message if the config is invalid', async () => {
    const { status, errors } = await runApp({ notifier: { dev: { ...ADDRESSES, perPage: 0 } } });
    expect(status).toBe(1);
    expect(errors).toBe(
      'The notifier context is invalid:\n' +
        '  notifier.dev.perPage is 0; allowed: a whole number of entities from 1 to 1000\n',
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
