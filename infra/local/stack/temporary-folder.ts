import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'sitecast-run-';
const OWN = new RegExp(`^${PREFIX}(\\d+)-`);

/**
 * Makes an empty folder outside the repository, named after this process, and removes those of processes
 * that were killed before they could.
 */
export async function makeTemporaryFolder(): Promise<string> {
  await removeLeftovers();
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir());
  const leftovers = names.filter((name) => {
    const [, pid] = OWN.exec(name) ?? [];
    return pid !== undefined && !isRunning(Number(pid));
  });
  // Folders of another user stay.
  await Promise.all(
    leftovers.map((name) =>
      rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined),
    ),
  );
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process may not be signalled, but it runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
