import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_FOLDER_PREFIX } from './local-stack-file.ts';

/** Makes an empty folder outside the repository, named after this process. */
export function makeTemporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${RUN_FOLDER_PREFIX}${process.pid}-`));
}
