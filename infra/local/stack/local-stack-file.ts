import { mkdtemp, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Endpoints } from '../embedded/endpoints.ts';

/** Where a running local stack is reached, for commands in another terminal. */
export interface LocalStackFile {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Folder of the clone that runs it. Default: this one. */
  readonly clone?: string;
  readonly endpoints: Required<Endpoints>;
  readonly topicArn: string;
  /** The admin endpoints of the simulated service; absent when a real one is polled. */
  readonly adminUrl?: string;
  /** Name of the control function; absent if the stack has none. */
  readonly functionName?: string;
}

/** Folder of this clone of the repository. */
const THIS_CLONE = resolve(import.meta.dirname, '../../..');

/** Of a local stack's temporary folders. The id of its process follows. */
const PREFIX = 'sitecast-run-';
const FILE_NAME = 'local-stack.json';

/** Makes an empty folder outside the repository, named after this process. */
export function makeTemporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Writes the file into the stack's temporary folder, with which it goes. */
export async function writeLocalStackFile(folder: string, content: LocalStackFile): Promise<void> {
  const file = join(folder, FILE_NAME);
  // A reader never sees half of it.
  await writeFile(`${file}.part`, JSON.stringify({ clone: THIS_CLONE, ...content }), {
    mode: 0o600,
  });
  await rename(`${file}.part`, file);
}

/** Finds the local stacks of this user and this clone that run, the latest first. */
export async function findLocalStacks(): Promise<readonly LocalStackFile[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const found = await Promise.all(names.map((name) => readOwn(join(tmpdir(), name, FILE_NAME))));
  return found
    .filter((file) => file !== undefined)
    .filter(({ clone, pid }) => clone === THIS_CLONE && isRunning(pid))
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process may not be signalled, but it runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads a file unless it is another user's, who could lead commands elsewhere. */
async function readOwn(file: string): Promise<LocalStackFile | undefined> {
  try {
    if ((await stat(file)).uid !== process.getuid?.()) return undefined;
    return JSON.parse(await readFile(file, 'utf8')) as LocalStackFile;
  } catch {
    return undefined;
  }
}
