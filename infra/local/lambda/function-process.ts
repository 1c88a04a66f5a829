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

const PROCESS_FILE = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

/** One process of a function, from start to exit. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<ProcessMessage>;
  #onEndOfLog = (): void => undefined;
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
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const text = line.endsWith(END_OF_LOG) ? line.slice(0, -END_OF_LOG.length) : line;
        if (text !== '' || text === line) onLog(text);
        if (text !== line) this.#onEndOfLog();
      });
    }
    this.#ended = this.#awaitEnd();
  }

  /** False once it has exited or was killed. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Waits until the handler is loaded, or runs an invocation and waits for its answer and its logs.
   * A time-out kills the process.
   *
   * @returns also why it failed.
   */
  async ask(timeoutMs: number, message?: InvokeMessage): Promise<ProcessMessage> {
    const done = new AbortController();
    const { signal } = done;
    const logged = this.#endOfLog();
    const answered = once(this.#child, 'message', { signal }).then(
      ([answer]) => answer as ProcessMessage,
    );
    // If sending fails the process is exiting, and its exit is the answer.
    if (message) this.#child.send(message, () => undefined);
    const expired = delay(timeoutMs, undefined, { signal });
    try {
      const answer = await Promise.race([answered, this.#ended, expired]);
      if (answer === undefined) {
        await this.kill();
        const seconds = (timeoutMs / 1000).toFixed(2);
        return {
          error: lambdaError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`),
        };
      }
      if (message) await Promise.race([logged, this.#ended]);
      return answer;
    } finally {
      done.abort();
    }
  }

  /** Kills it, like a crash. Resolves once it has exited and its last line is read. */
  async kill(): Promise<void> {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
    await this.#ended;
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

  /** `close` follows `exit` once all output of the process is read. */
  async #awaitEnd(): Promise<ProcessMessage> {
    const [code, signal] = (await once(this.#child, 'close')) as [number, NodeJS.Signals | null];
    this.#isAlive = false;
    const reason = signal === null ? `exit status ${code}` : `signal: ${signal}`;
    return { error: lambdaError('Runtime.ExitError', `Runtime exited with error: ${reason}`) };
  }
}

function lambdaError(errorType: string, errorMessage: string): ErrorPayload {
  return { errorType, errorMessage, trace: [] };
}
