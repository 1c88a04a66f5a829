import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../infra/cli/application.ts';

const MAIN = fileURLToPath(new URL('../../infra/cli/main.ts', import.meta.url));

/** The environment of somebody without any AWS settings. */
const BARE = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  SITECAST_BUNDLES: process.env['SITECAST_BUNDLES'],
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
};

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Default: the program of this clone. */
  readonly command?: readonly [string, ...string[]];
}

/** Its exit status, and all that it wrote. */
export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of the command line, and what it has written so far. */
export interface CliProcess {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  readonly ended: Promise<CliOutcome>;
}

/** Starts the command line as a process of its own. */
export function startCli(
  args: readonly string[],
  { env, cwd, command = [process.execPath, MAIN] }: RunOptions = {},
): CliProcess {
  const [file, ...first] = command;
  const child = spawn(file, [...first, ...args], {
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

/** The runs in this process come one after the other, since each has the environment of its own. */
let lastRun: Promise<unknown> = Promise.resolve();

/** Runs the command line in this process: one of its own takes longer to start than to work. */
export function runCli(
  args: readonly string[],
  { env, cwd = process.cwd() }: RunOptions = {},
): Promise<CliOutcome> {
  const run = async () => {
    const [stdout, stderr] = [new TextStream(), new TextStream()];
    const before = { env: { ...process.env }, argv: process.argv, cwd: process.cwd() };
    setEnvironment({ ...BARE, ...env });
    process.argv = [process.execPath, MAIN, ...args];
    process.chdir(cwd);
    try {
      const streams = { stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>;
      const own = { ...streams, stdin: process.stdin, env: process.env };
      const code = await runProgram(args, own);
      return { code, stdout: stdout.text, stderr: stderr.text };
    } finally {
      process.chdir(before.cwd);
      process.argv = before.argv;
      setEnvironment(before.env);
    }
  };
  const outcome = lastRun.then(run);
  lastRun = outcome.catch(() => undefined);
  return outcome;
}

/** Some variables, as the temporary folder, are read from the environment of the system itself. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value;
}

/** A pipe whose reader keeps all. */
class TextStream extends Writable {
  text = '';

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
