import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RefreshTokenFile, TokenFileError } from '../../../../infra/cli/dev/refresh-token-file.ts';

it('a token file is taken up when it changes, and a broken one is reported once', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'token');
  expect(() => new RefreshTokenFile(path)).toThrow(TokenFileError);
  await writeFile(path, 'first\n');
  const file = new RefreshTokenFile(path);
  expect(file.token).toBe('first');
  expect(file.readAgain()).toBeUndefined();

  await writeFile(path, '');
  expect(() => file.readAgain()).toThrow('which is empty');
  expect(file.readAgain()).toBeUndefined();

  await writeFile(path, 'second');
  expect(file.readAgain()).toBe('second');
  expect(file.token).toBe('second');
  expect(file.readAgain()).toBeUndefined();
});
