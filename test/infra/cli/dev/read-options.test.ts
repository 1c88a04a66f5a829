import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UsageError } from '../../../../infra/cli/cli-error.ts';
import { readOptions, type DevFlags } from '../../../../infra/cli/dev/read-options.ts';

const SERVICE = { service: 'https://api.test', auth: 'https://auth.test' };
const DEFAULTS = { every: 5, console: true };
let folder: string;
let tokenFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'tok-3f9a\n');
  await writeFile(join(folder, 'bad'), 'tok-3f9a\nsecond line\n');
});

afterAll(() => rm(folder, { recursive: true }));

it('reads the refresh token of a real service from its file', () => {
  const { realService } = readOptions({ ...DEFAULTS, ...SERVICE, tokenFile });
  expect(realService).toEqual({
    ...{ baseUrl: 'https://api.test', authUrl: 'https://auth.test' },
    refreshToken: 'tok-3f9a',
  });
});

it('takes a stage without its addresses', () => {
  const { fields } = readOptions({ ...DEFAULTS, stage: 'dev' });
  expect(fields).toMatchObject({ everyMinutes: 1 });
  expect(Object.keys(fields)).not.toContain('baseUrl');
});

it.each<[Partial<DevFlags>, string]>([
  [{ stage: 'def' }, 'There is no stage "def".'],
  [{ service: 'https://a.test' }, 'must be given together'],
  [{ ...SERVICE, tokenFile: '/nowhere' }, '--token-file is "/nowhere"; allowed'],
  [{ ...SERVICE, tokenFile: 'x', service: 'http://a.test' }, '--service is "http://a.test"; allow'],
  [{ ...SERVICE, tokenFile: 'x', auth: 'https://u:p@a.test' }, '--auth is "https://…@a.test"'],
])('refuses %j and says what is allowed', (flags, message) => {
  expect(() => readOptions({ ...DEFAULTS, ...flags })).toThrow(UsageError);
  expect(() => readOptions({ ...DEFAULTS, ...flags })).toThrow(message);
});

it('never shows what a file of a token holds', () => {
  const flags = { ...DEFAULTS, ...SERVICE, tokenFile: join(folder, 'bad') };
  expect(() => readOptions(flags)).not.toThrow(/tok-3f9a/);
  expect(() => readOptions(flags)).toThrow('on one line');
});
