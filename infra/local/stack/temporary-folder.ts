import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, ownerOf, RUN_FOLDER_PREFIX } from './local-stack-file.ts';

/**
 * Makes an empty folder outside the repository, named after this process, and removes those of processes
 * that were killed before they could.
 */
export async function makeTemporaryFolder(): Promise<string> {
  await removeLeftovers();
  return mkdtemp(join(tmpdir(), `${RUN_FOLDER_PREFIX}${process.pid}-`));
}

async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir());
  const leftovers = names.filter((name) => {
    const pid = ownerOf(name);
    return pid !== undefined && !isRunning(pid);
  });
  // Folders of another user stay.
  await Promise.all(
    leftovers.map((name) =>
      rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined),
    ),
  );
}
