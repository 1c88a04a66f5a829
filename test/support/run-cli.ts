import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../infra/cli/main.ts', import.meta.url));

/** The environment of somebody without any AWS settings. */
const BARE = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
};

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A process of the command line, and what it has written so far. */
export interface CliProcess {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts the command line as a process of its own. */
export function startCli(args: readonly string[], { env, cwd }: RunOptions = {}): CliProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...BARE, ...env },
    cwd,
  });
  const started = { child, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (started.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (started.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({
    code: code ?? null,
    stdout: started.stdout,
    stderr: started.stderr,
  }));
  return Object.assign(started, { ended });
}

/** Runs the command line to its end. */
export function runCli(args: readonly string[], options?: RunOptions): CliProcess['ended'] {
  return startCli(args, options).ended;
}
