import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextForTests } from './synthesize.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sitecast-synth-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/**
 * Runs the app as the CDK command does.
 *
 * @param validation whether CDK also validates the templates, which takes it seconds.
 */
function runApp(
  context: Record<string, unknown>,
  validation = false,
): Promise<{ status: number; errors: string }> {
  const env = {
    PATH: process.env['PATH'],
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: String(validation),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['infra/app.ts'], { cwd: ROOT, env }, (error, _, errors) => {
      resolve({ status: error === null ? 0 : Number(error.code), errors });
    });
  });
}

describe('the CDK app', () => {
  it('makes one valid stack of the config in cdk.json, without an account', async () => {
    const { status, errors } = await runApp(contextForTests(), true);
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    expect(await readdir(folder)).toContain('Sitecast-dev.template.json');
  });

  it('makes one stack per stage, each with its own settings and place', async () => {
    const addresses = { baseUrl: 'https://api.example.com', authUrl: 'https://auth.example.com' };
    const { status } = await runApp({
      ...contextForTests(),
      notifier: {
        dev: { ...addresses, perPage: 10 },
        prod: { ...addresses, perPage: 20, account: '123456789012', region: 'eu-central-1' },
      },
    });
    expect(status).toBe(0);
    const read = async (file: string) => readFile(path.join(folder, file), 'utf8');
    expect(await read('Sitecast-dev.template.json')).toContain('\\"perPage\\":10,');
    expect(await read('Sitecast-prod.template.json')).toContain('\\"perPage\\":20,');
    const { artifacts } = JSON.parse(await read('manifest.json')) as {
      artifacts: Record<string, { environment?: string }>;
    };
    expect(artifacts['Sitecast-dev']?.environment).toBe('aws://unknown-account/unknown-region');
    expect(artifacts['Sitecast-prod']?.environment).toBe('aws://123456789012/eu-central-1');
  });

  it('ends with status 1 and nothing but the message when the config is invalid', async () => {
    const { status, errors } = await runApp({
      notifier: { dev: { baseUrl: 'https://api.example.com', authUrl: 'https://a.b', perPage: 0 } },
    });
    expect(status).toBe(1);
    expect(errors).toBe(
      'The notifier context in cdk.json is invalid:\n' +
        '  notifier.dev.perPage is 0; allowed: a whole number of entities from 1 to 1000\n',
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
