import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ErrorPayload, InvokeMessage, ProcessMessage } from './protocol.ts';
import { END_OF_LOG } from './protocol.ts';

/** What came of waiting for a function's process. */
export type Outcome =
  | ProcessMessage
  /** It ended, by itself or killed; the error is in Lambda's words. */
  | { readonly type: 'exited'; readonly error: ErrorPayload }
  | { readonly type: 'timed-out' };

const PROCESS_FILE = fileURLToPath(new URL('bootstrap.ts', import.meta.url));

/** One process of a function, from its start to its end. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Outcome>;
  #receive: ((message: ProcessMessage) => void) | undefined;
  #onEndOfLog: (() => void) | undefined;
  #alive = true;

  /**
   * @param environment all the process sees.
   * @param onLog receives each line it writes.
   */
  constructor(environment: Readonly<Record<string, string>>, onLog: (line: string) => void) {
    this.#child = fork(PROCESS_FILE, [], {
      env: environment,
      // Flags of the host's own Node are none of the function's business.
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

  /** False once it has ended or was told to. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Waits until the handler is loaded, or cannot be. */
  started(timeoutMs: number): Promise<Outcome> {
    return this.#next(timeoutMs);
  }

  /** Hands over an invocation. Resolves when it is answered and all that it logged was read. */
  async run(message: InvokeMessage, timeoutMs: number): Promise<Outcome> {
    const logged = this.#endOfLog();
    // A process that cannot be sent to is about to end, and its end is the outcome.
    this.#child.send(message, () => undefined);
    const outcome = await this.#next(timeoutMs);
    const answered = outcome.type === 'result' || outcome.type === 'error';
    if (answered) await Promise.race([logged, this.#ended]);
    return outcome;
  }

  /** Ends it at once, as a crash would. Resolves when it is gone and its last line was read. */
  async kill(): Promise<void> {
    this.#alive = false;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Waits for the next message, but not past the process's end or the time. */
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

  /** Resolves when both outputs came to the end of an invocation. */
  #endOfLog(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let open = 2;
    this.#onEndOfLog = () => {
      if (--open === 0) resolve(undefined);
    };
    return promise;
  }

  async #awaitEnd(): Promise<Outcome> {
    try {
      // `close` comes after `exit`, when everything the process wrote was read.
      const [code, signal] = (await once(this.#child, 'close')) as [
        number | null,
        NodeJS.Signals | null,
      ];
      return exited(signal === null ? `exit status ${code ?? 0}` : `signal: ${signal}`);
    } catch (error) {
      return exited(String(error));
    } finally {
      this.#alive = false;
    }
  }
}

function exited(reason: string): Outcome {
  const errorMessage = `Runtime exited with error: ${reason}`;
  return { type: 'exited', error: { errorType: 'Runtime.ExitError', errorMessage, trace: [] } };
}
