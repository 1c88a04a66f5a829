import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../functions/core/model/json/json.ts';
import { FunctionProcess, type Outcome } from './function-process.ts';
import type { ErrorPayload } from './protocol.ts';

/** A Lambda function of the template. */
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

export interface LambdaHostOptions {
  /** Variables that point the function's SDK to its endpoints. */
  readonly sdkEnvironment: Readonly<Record<string, string>>;
  /** Receives each line that the function writes. */
  readonly onLog?: (line: string) => void;
}

/** An invocation failed. The message is the one of Lambda. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  /**
   * Name of the error that the handler threw, or of Lambda's own: `Sandbox.Timedout`,
   * `Runtime.ExitError`, `Runtime.ImportModuleError`, `Runtime.HandlerNotFound`.
   */
  readonly errorType: string;
  /** Stack of the handler's error; empty for Lambda's own errors. */
  readonly trace: readonly string[];

  constructor(error: ErrorPayload) {
    super(`${error.errorType}: ${error.errorMessage}`);
    this.errorType = error.errorType;
    this.trace = error.trace;
  }
}

/** The function is running already, and its reserved concurrency is 1. */
export class FunctionThrottledError extends Error {
  override readonly name = 'TooManyRequestsException';
}

/** Variables of this process that its functions need to reach a service with a private CA. */
const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA'];

/** Lambda's limit for loading the code. */
const INIT_TIMEOUT_MS = 10_000;

/**
 * Runs one function in a warm process, one invocation at a time. The first invocation starts the
 * process, and so does the first one after a crash, a kill or a timeout.
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
   * @returns the handler's return value, after a round trip through JSON.
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

  /** Kills the process at any time, like a crash. The next invocation starts a new one. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  async #warmProcess(): Promise<FunctionProcess> {
    if (this.#process?.isAlive) return this.#process;
    const started = new FunctionProcess(
      this.#environment(),
      this.#options.onLog ?? (() => undefined),
    );
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
      return outcome.payload === undefined ? undefined : parseJson(outcome.payload);
    }
    if (outcome.type === 'timed-out') await process.kill();
    const seconds = this.definition.timeoutSeconds.toFixed(2);
    throw new FunctionError(errorOf(outcome, `Task timed out after ${seconds} seconds`));
  }

  /** Environment of a process in Lambda; of the host's own variables only those about certificates. */
  #environment(): Record<string, string> {
    const { name, arn, runtime, handler, codeDirectory, memoryMb, logGroup, environment } =
      this.definition;
    const certificates = CERTIFICATE_VARIABLES.flatMap((variable) => {
      const value = process.env[variable];
      return value === undefined ? [] : [[variable, value]];
    });
    return {
      ...(Object.fromEntries(certificates) as Record<string, string>),
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

/** Error of an outcome; `timeout` is the message for a timeout. */
function errorOf(outcome: Outcome, timeout: string): ErrorPayload {
  if ('error' in outcome) return outcome.error;
  return { errorType: 'Sandbox.Timedout', errorMessage: timeout, trace: [] };
}
