import type {
  ControlAnswer,
  ControlRequest,
  RefusedAnswer,
} from '../../functions/control/protocol.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { callAws, CliError } from './cli-error.ts';
import type { Stack } from './find-stack.ts';

/** The answer to a request that was not refused: the one that has its command. */
export type AnswerTo<R extends ControlRequest, A = ControlAnswer> = A extends {
  readonly command: infer Command;
}
  ? R['command'] extends Command
    ? A
    : never
  : never;

/** The control function refused a request. Nothing was changed. */
export class RefusedError extends CliError {
  override readonly name = 'RefusedError';

  constructor(command: string, answer: RefusedAnswer) {
    const { message, hint } = answer.error;
    super(`${command} was refused: ${message}`, hint);
    this.document = answer;
  }
}

/** Lambda's answer for an error that a function threw. */
interface FunctionFailure {
  readonly errorType?: string;
  readonly errorMessage?: string;
}

const DEPLOY = 'Deploy it again with this version of Sitecast.';

/**
 * Asks the control function of a stack.
 *
 * @param words the name of the command in messages. Default: that of the request.
 * @throws RefusedError if it refuses; CliError if it cannot be asked, fails, or does not answer as
 *   expected.
 */
export async function askControl<R extends ControlRequest>(
  stack: Stack,
  request: R,
  words = request.command.replace('webhook-', 'webhooks ').replace('-', ' '),
): Promise<AnswerTo<R>> {
  const failure = `${words} failed`;
  const { FunctionError, Payload } = await invoke(stack, JSON.stringify(request), failure);
  const answer = parseAnswer(Payload?.transformToString());
  if (FunctionError !== undefined) {
    const { errorType = FunctionError, errorMessage = 'no message' } = answer as FunctionFailure;
    throw new CliError(
      `${failure}: the control function ended with ${errorType}: ${errorMessage}`,
      `Look into its log: ${stack.logPlace}.`,
    );
  }
  if ('error' in answer) throw new RefusedError(words, answer as RefusedAnswer);
  if ((answer as { command?: unknown }).command !== request.command) {
    throw new CliError(`${failure}: ${stack.functionName} answers another protocol.`, DEPLOY);
  }
  return answer as AnswerTo<R>;
}

async function invoke(stack: Stack, payload: string, failure: string) {
  const { name, functionName, isLocal } = stack;
  if (functionName === undefined) {
    throw new CliError(`${failure}: ${name} has no control function.`, DEPLOY);
  }
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient(stack.settings('lambda'));
  return callAws({ failure, isLocal }, () =>
    client.send(new InvokeCommand({ FunctionName: functionName, Payload: payload })),
  );
}

/** An answer that is no JSON object is as good as none. */
function parseAnswer(text = ''): object {
  try {
    const answer = parseJson(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}
