import type {
  ChangedAnswer,
  ChangeRequest,
  ControlAnswer,
  ControlRequest,
  QuarantineChangeAnswer,
  QuarantineListAnswer,
  QuarantineShowAnswer,
  RefusedAnswer,
  StatusAnswer,
  StatusRequest,
  WebhookDoneAnswer,
  WebhookRequest,
  WebhookRequestAnswer,
} from '../../functions/control/protocol.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { callAws } from './aws-errors.ts';
import { CliError } from './cli-error.ts';
import type { Stack } from './find-stack.ts';

/** The answer to a request that was not refused. */
export type AnswerTo<R extends ControlRequest> = R extends StatusRequest
  ? StatusAnswer
  : R extends ChangeRequest
    ? ChangedAnswer
    : R extends { readonly command: 'quarantine-list' }
      ? QuarantineListAnswer
      : R extends { readonly command: 'quarantine-show' }
        ? QuarantineShowAnswer
        : R extends { readonly command: infer Command extends WebhookRequest['command'] }
          ? WebhookAnswerTo<Command>
          : QuarantineChangeAnswer;

type WebhookAnswerTo<Command> = Command extends WebhookDoneAnswer['command']
  ? WebhookDoneAnswer
  : Extract<WebhookRequestAnswer, { readonly command: Command }>;

/** The control function refused a request. Nothing was changed. */
export class RefusedError extends CliError {
  override readonly name = 'RefusedError';
  readonly answer: RefusedAnswer;

  constructor(command: string, answer: RefusedAnswer) {
    const { message, hint } = answer.error;
    super(`${command} was refused: ${message}`, hint);
    this.answer = answer;
  }
}

/**
 * Asks the control function of a stack.
 *
 * @param words what messages call the command that fails. Default: that of the request.
 * @throws RefusedError if it refuses; CliError if it cannot be asked, fails, or does not answer as expected.
 */
export async function askControl<R extends ControlRequest>(
  stack: Stack,
  request: R,
  words = request.command.replace('webhook-', 'webhooks ').replace('-', ' '),
): Promise<AnswerTo<R>> {
  const { command } = request;
  const { name, functionName, isLocal } = stack;
  const deploy = `Deploy it again with this version of Sitecast.`;
  if (functionName === undefined) {
    throw new CliError(`${words} failed: ${name} has no control function.`, deploy);
  }
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient(stack.settings('lambda'));
  const call = {
    failure: `${words} failed`,
    action: 'lambda:InvokeFunction',
    resource: functionName,
    isLocal,
  };
  const { FunctionError, Payload } = await callAws(call, async () => {
    try {
      const Payload = JSON.stringify(request);
      return await client.send(new InvokeCommand({ FunctionName: functionName, Payload }));
    } catch (error) {
      if ((error as Error).name !== 'ResourceNotFoundException') throw error;
      throw new CliError(
        `${words} failed: the control function ${functionName} of ${name} does not exist.`,
        deploy,
      );
    }
  });
  const answer = parseAnswer(Payload?.transformToString());
  if (FunctionError !== undefined) {
    const { errorType = FunctionError, errorMessage = 'no message' } = (answer ??
      {}) as FunctionFailure;
    throw new CliError(
      `${words} failed: the control function ended with ${errorType}: ${errorMessage.replace(/\.$/, '')}.`,
      `Look into its log: ${stack.logPlace}.`,
    );
  }
  if (isRefusal(answer)) throw new RefusedError(words, answer);
  if ((answer as (ControlAnswer & { command?: string }) | undefined)?.command !== command) {
    throw new CliError(`${words} failed: ${functionName} answers another protocol.`, deploy);
  }
  return answer as AnswerTo<R>;
}

/** What Lambda says of an error that a function threw. */
interface FunctionFailure {
  readonly errorType?: string;
  readonly errorMessage?: string;
}

function parseAnswer(text: string | undefined): unknown {
  try {
    return parseJson(text ?? '');
  } catch {
    return undefined;
  }
}

function isRefusal(answer: unknown): answer is RefusedAnswer {
  return typeof answer === 'object' && answer !== null && 'error' in answer;
}
