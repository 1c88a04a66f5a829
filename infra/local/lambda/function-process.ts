import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ANSWER, type Answer, type Invocation } from './protocol.ts';

/** TypeScript in a clone, JavaScript in the package. */
const PROCESS_FILE = join(import.meta.dirname, `bootstrap${extname(import.meta.filename)}`);

/** One process of a function, from start to exit. */
export class FunctionProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<Answer>;
  #onAnswer: (answer: Answer) => void = () => undefined;
  #isAlive = true;

  /** @param environment the complete one. @param onLog receives each line it writes. */
  constructor(environment: Readonly<Record<string, string>>, onLog: (line: string) => void) {
    // The cache spares processes compiling the same modules again.
    const env = { ...environment, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
    this.#child = spawn(process.execPath, [PROCESS_FILE], { env });
    // If it reads no more it is exiting, and its exit is the answer.
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stderr }).on('line', onLog);
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line.startsWith(ANSWER)) this.#onAnswer(JSON.parse(line.slice(ANSWER.length)) as Answer);
      else if (line !== '') onLog(line);
    });
    this.#ended = this.#awaitEnd();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs an invocation, and waits for its logs and its answer, which may be Lambda's error. */
  async ask(invocation: Invocation, timeoutMs: number): Promise<Answer> {
    const { promise: answered, resolve } = Promise.withResolvers<Answer>();
    this.#onAnswer = resolve;
    this.#child.stdin.write(`${JSON.stringify(invocation)}\n`);
    const seconds = (timeoutMs / 1000).toFixed(2);
    const expired = lambdaError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`);
    const timer = setTimeout(resolve, timeoutMs, expired);
    try {
      return await Promise.race([answered, this.#ended]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills it, like a crash. Resolves once it has exited and its last line is read. */
  async kill(): Promise<void> {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** `close` follows `exit` once all output of the process is read. */
  async #awaitEnd(): Promise<Answer> {
    const [code, signal] = (await once(this.#child, 'close')) as [number, NodeJS.Signals | null];
    this.#isAlive = false;
    const reason = signal === null ? `exit status ${code}` : `signal: ${signal}`;
    return lambdaError('Runtime.ExitError', `Runtime exited with error: ${reason}`);
  }
}

function lambdaError(errorType: string, errorMessage: string): Answer {
  return { error: { errorType, errorMessage, trace: [] } };
}
