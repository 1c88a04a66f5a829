import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';

const MAIN = fileURLToPath(new URL('../../infra/cli/main.ts', import.meta.url));
const NOTE_PORTS = new URL('note-ports.ts', import.meta.url).href;

/** `sitecast dev`, running with a folder of its own for temporary files. */
export interface DevProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<number | null>;
  /** Everything written so far. */
  stdout: string;
  stderr: string;
  /** Variables by which further commands find this stack. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporary: string;
}

/** Starts it; with all its processes it ends with the test. */
export async function startDev(
  { onTestFinished }: TestContext,
  flags: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<DevProcess> {
  const temporary = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  const env = { ...variables, TMPDIR: temporary };
  const child = spawn(process.execPath, ['--import', NOTE_PORTS, MAIN, 'dev', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  onTestFinished(async () => {
    for (const pid of [...descendantsOf(child), child.pid ?? 0]) kill(pid);
    await ended;
    await rm(temporary, { recursive: true, force: true });
  });
  const started = { child, ended, env, temporary, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (started.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (started.stderr += chunk.toString()));
  return started;
}

/** The ids of all processes below a process. */
export function descendantsOf({ pid }: { pid?: number | undefined }): number[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const all = [...list.matchAll(/^ *(\d+) +(\d+)$/gm)].map(([, child, parent]) => ({
    child: Number(child),
    parent: Number(parent),
  }));
  const below = (above: number): number[] =>
    all.filter(({ parent }) => parent === above).flatMap(({ child }) => [child, ...below(child)]);
  return pid === undefined ? [] : below(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone, as it should be.
  }
}

/** Ignores the caches of Node and npm. */
export async function filesLeftBy({ temporary }: DevProcess): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('sitecast'));
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Writes a file with a token, which is removed with the test. */
export async function writeToken({ onTestFinished }: TestContext, token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'token');
  await writeFile(file, token);
  return file;
}
