import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../functions/core/model/json/json.ts';
import { FunctionProcess } from './function-process.ts';
import type { ErrorPayload } from './protocol.ts';

export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
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

/** An invocation failed. The message is the one of Lambda. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  /** The error of the handler, or Lambda's own: `Sandbox.Timedout`, `Runtime.ExitError`. */
  readonly payload: ErrorPayload;

  constructor(payload: ErrorPayload) {
    super(`${payload.errorType}: ${payload.errorMessage}`);
    this.payload = payload;
  }
}

/**
 * Runs one function in a warm process, one invocation after the other. The first invocation starts
 * the process, and so does the first one after a failure or a kill.
 */
export class LambdaFunction {
  readonly definition: FunctionDefinition;
  readonly #sdkEnvironment: Readonly<Record<string, string>>;
  readonly #onLog: (line: string) => void;
  #process: FunctionProcess | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  /**
   * @param sdkEnvironment variables that point the function's SDK to its endpoints.
   * @param onLog receives each line that the function writes.
   */
  constructor(
    definition: FunctionDefinition,
    sdkEnvironment: Readonly<Record<string, string>>,
    onLog: (line: string) => void = () => undefined,
  ) {
    this.definition = definition;
    this.#sdkEnvironment = sdkEnvironment;
    this.#onLog = onLog;
  }

  /**
   * Invokes the function and waits for it.
   *
   * @returns the handler's return value, after a round trip through JSON.
   * @throws FunctionError when the handler throws, the time runs out, or the process ends.
   */
  invoke(event: unknown): Promise<unknown> {
    const answered = this.#previous.then(() => this.#run(event));
    this.#previous = answered.catch(() => undefined);
    return answered;
  }

  /** Kills the process at any time, like a crash. The next invocation starts a new one. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  async #run(event: unknown): Promise<unknown> {
    if (!this.#process?.isAlive) {
      this.#process = new FunctionProcess(this.#environment(), this.#onLog);
    }
    const process = this.#process;
    const timeoutMs = this.definition.timeoutSeconds * 1000;
    const invocation = { requestId: randomUUID(), event, deadline: Date.now() + timeoutMs };
    const { payload, error } = await process.ask(invocation, timeoutMs);
    if (!error) return payload === undefined ? undefined : parseJson(payload);
    await process.kill();
    throw new FunctionError(error);
  }

  /** Environment of a process in Lambda; of the host's own variables only those on certificates. */
  #environment(): Record<string, string> {
    const { name, arn, handler, codeDirectory, memoryMb } = this.definition;
    const { NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA } = process.env;
    return {
      ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
      ...(NODE_USE_SYSTEM_CA !== undefined && { NODE_USE_SYSTEM_CA }),
      ...this.definition.environment,
      ...this.#sdkEnvironment,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      LAMBDA_TASK_ROOT: codeDirectory,
      LOCAL_FUNCTION_ARN: arn,
      TZ: ':UTC',
      _HANDLER: handler,
    };
  }
}
