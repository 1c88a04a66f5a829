import { randomUUID } from 'node:crypto';
import type { Outcome } from './function-process.ts';
import { FunctionProcess } from './function-process.ts';
import type { ErrorPayload } from './protocol.ts';

/** A Lambda function as the template describes it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** Lambda's name of the runtime: `nodejs24.x`. */
  readonly runtime: string;
  /** `<file>.<export>` within the code. */
  readonly handler: string;
  /** Folder of the bundled asset. */
  readonly codeDirectory: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly logGroup: string;
  /** The template's environment, resolved. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What a {@link LambdaHost} adds to a function's definition. */
export interface LambdaHostOptions {
  /** Variables by which the function's SDK finds its endpoints. */
  readonly sdkEnvironment: Readonly<Record<string, string>>;
  /** Receives each line that the function writes. */
  readonly onLog?: (line: string) => void;
}

/** An invocation failed; the message is what Lambda would answer. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  /**
   * Name of the error that the handler threw; or Lambda's own: `Sandbox.Timedout`,
   * `Runtime.ExitError`, `Runtime.ImportModuleError`, `Runtime.HandlerNotFound`.
   */
  readonly errorType: string;
  /** Stack of the error that the handler threw; empty for Lambda's own. */
  readonly trace: readonly string[];

  constructor(error: ErrorPayload) {
    super(`${error.errorType}: ${error.errorMessage}`);
    this.errorType = error.errorType;
    this.trace = error.trace;
  }
}

/** A second invocation came while one was running: the function's reserved concurrency is 1. */
export class FunctionThrottledError extends Error {
  override readonly name = 'TooManyRequestsException';
}

/** How long Lambda lets a function load its code. */
const INIT_TIMEOUT_MS = 10_000;

/**
 * Runs one function in a warm process of its own, one invocation at a time. The first invocation
 * starts the process, and so does the one after a crash, a kill or a time-out.
 */
export class LambdaHost {
  readonly definition: FunctionDefinition;
  readonly #options: LambdaHostOptions;
  #process: FunctionProcess | undefined;
  #busy = false;

  constructor(definition: FunctionDefinition, options: LambdaHostOptions) {
    this.definition = definition;
    this.#options = options;
  }

  /**
   * Invokes the function and waits for it.
   *
   * @returns what the handler returned, as JSON carries it.
   * @throws FunctionError when the handler throws, the time runs out, or the process ends.
   * @throws FunctionThrottledError while another invocation is running.
   */
  async invoke(event: unknown): Promise<unknown> {
    if (this.#busy)
      throw new FunctionThrottledError(`${this.definition.name} is running: Rate Exceeded.`);
    this.#busy = true;
    try {
      return await this.#invokeIn(await this.#warmProcess(), event);
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Ends the process at once, in the middle of an invocation or not, as a crash would. Another
   * invocation starts a new one.
   */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  async #warmProcess(): Promise<FunctionProcess> {
    if (this.#process?.alive) return this.#process;
    const started = new FunctionProcess(this.#environment(), this.#options.onLog ?? ignore);
    this.#process = started;
    const outcome = await started.started(INIT_TIMEOUT_MS);
    if (outcome.type === 'ready') return started;
    await started.kill();
    throw new FunctionError(errorOf(outcome, `Init timed out after ${INIT_TIMEOUT_MS} ms`));
  }

  async #invokeIn(process: FunctionProcess, event: unknown): Promise<unknown> {
    const timeoutMs = this.definition.timeoutSeconds * 1000;
    const requestId = randomUUID();
    const deadline = Date.now() + timeoutMs;
    const outcome = await process.run({ type: 'invoke', requestId, event, deadline }, timeoutMs);
    if (outcome.type === 'result') {
      return outcome.payload === undefined ? undefined : JSON.parse(outcome.payload);
    }
    if (outcome.type === 'timed-out') await process.kill();
    const seconds = this.definition.timeoutSeconds.toFixed(2);
    throw new FunctionError(errorOf(outcome, `Task timed out after ${seconds} seconds`));
  }

  /** What a process in Lambda sees, and nothing of the host's own environment. */
  #environment(): Record<string, string> {
    const { name, arn, runtime, handler, codeDirectory, memoryMb, logGroup, environment } =
      this.definition;
    return {
      ...environment,
      ...this.#options.sdkEnvironment,
      AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      LAMBDA_TASK_ROOT: codeDirectory,
      LOCAL_FUNCTION_ARN: arn,
      TZ: ':UTC',
      _HANDLER: handler,
    };
  }
}

function ignore(): void {
  // Nobody asked for the function's lines.
}

/** The error that an outcome stands for; `timeout` words the one of a time-out. */
function errorOf(outcome: Outcome, timeout: string): ErrorPayload {
  if ('error' in outcome) return outcome.error;
  return { errorType: 'Sandbox.Timedout', errorMessage: timeout, trace: [] };
}
