import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../../../../infra/local/stack/temporary-folder.ts';

it('a new temporary folder removes those of killed processes, and no other', async ({
  onTestFinished,
}) => {
  const temporary = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(ended, 'exit');
  const others = ['sitecast-other', `sitecast-run-${process.pid}-a`, 'sitecast-run-1-b'];
  for (const name of [...others, `sitecast-run-${ended.pid}-c`]) {
    await mkdir(join(temporary, name, 'inner'), { recursive: true });
  }
  const folder = await makeTemporaryFolder();
  expect((await readdir(temporary)).sort()).toEqual([...others, basename(folder)].sort());
});
