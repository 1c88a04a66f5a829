import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  END_OF_LOG,
  type ErrorPayload,
  type InvokeMessage,
  type ProcessMessage,
} from './protocol.ts';

/** Result of waiting for a function's process. */
export type Outcome =
  | ProcessMessage
  /** The process exited or was killed; the error has Lambda's wording. */
  | { readonly type: 'exited'; readonly error: ErrorPayload }
  | { readonly type: 'timed-out' };

const PROCESS_FILE = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

/** One process of a function, from start to exit. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Outcome>;
  #receive: ((message: ProcessMessage) => void) | undefined;
  #onEndOfLog: (() => void) | undefined;
  #isAlive = true;

  /**
   * @param environment the complete environment of the process.
   * @param onLog receives each line it writes.
   */
  constructor(environment: Readonly<Record<string, string>>, onLog: (line: string) => void) {
    this.#child = fork(PROCESS_FILE, [], {
      // The cache spares processes compiling the same modules again.
      env: { ...environment, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
      // The function does not inherit Node flags of the host.
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.on('message', (message) => this.#receive?.(message as ProcessMessage));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const text = line.endsWith(END_OF_LOG) ? line.slice(0, -END_OF_LOG.length) : line;
        if (text !== '' || text === line) onLog(text);
        if (text !== line) this.#onEndOfLog?.();
      });
    }
    this.#ended = this.#awaitEnd();
  }

  /** False once it has exited or was killed. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Waits until the handler is loaded or has failed to load. */
  started(timeoutMs: number): Promise<Outcome> {
    return this.#next(timeoutMs);
  }

  /** Runs an invocation. Resolves once it is answered and all its logs are read. */
  async run(message: InvokeMessage, timeoutMs: number): Promise<Outcome> {
    const logged = this.#endOfLog();
    // If sending fails the process is exiting, and its exit is the outcome.
    this.#child.send(message, () => undefined);
    const outcome = await this.#next(timeoutMs);
    const isAnswered = outcome.type === 'result' || outcome.type === 'error';
    if (isAnswered) await Promise.race([logged, this.#ended]);
    return outcome;
  }

  /** Kills it, like a crash. Resolves once it has exited and its last line is read. */
  async kill(): Promise<void> {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Waits for the next message, the exit of the process, or the timeout. */
  async #next(timeoutMs: number): Promise<Outcome> {
    const message = Promise.withResolvers<Outcome>();
    const done = new AbortController();
    this.#receive = message.resolve;
    const timeout = delay(timeoutMs, { type: 'timed-out' } as const, { signal: done.signal });
    timeout.catch(() => undefined);
    try {
      return await Promise.race([message.promise, this.#ended, timeout]);
    } finally {
      done.abort();
      this.#receive = undefined;
    }
  }

  /** Resolves once both outputs show the end of an invocation. */
  #endOfLog(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let openStreamCount = 2;
    this.#onEndOfLog = () => {
      if (--openStreamCount === 0) resolve(undefined);
    };
    return promise;
  }

  async #awaitEnd(): Promise<Outcome> {
    try {
      // `close` follows `exit` once all output of the process is read.
      const [code, signal] = (await once(this.#child, 'close')) as [
        number | null,
        NodeJS.Signals | null,
      ];
      return exited(signal === null ? `exit status ${code ?? 0}` : `signal: ${signal}`);
    } catch (error) {
      return exited(String(error));
    } finally {
      this.#isAlive = false;
    }
  }
}

function exited(reason: string): Outcome {
  const errorMessage = `Runtime exited with error: ${reason}`;
  return { type: 'exited', error: { errorType: 'Runtime.ExitError', errorMessage, trace: [] } };
}
