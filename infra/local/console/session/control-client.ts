import type {
  ControlAnswer,
  StatusAnswer,
  StatusRequest,
} from '../../../../functions/control/protocol.ts';
import type { LocalStack } from '../../stack/local-stack.ts';
import type { Refusal } from '../protocol.ts';

/** The control function of the stack, invoked as Lambda is. */
export class ControlClient {
  /** As last told. */
  status: StatusAnswer | undefined;
  /** When it was asked for, milliseconds since 1970. */
  statusReadAt = 0;
  readonly #url: string | undefined;
  #reading: Promise<void> | undefined;

  constructor({ lambdaUrl, provisioned }: Pick<LocalStack, 'lambdaUrl' | 'provisioned'>) {
    const name = provisioned.outputs['ControlFunctionName'];
    this.#url = name && `${lambdaUrl}/2015-03-31/functions/${name}/invocations`;
  }

  /** Sends a request of an operator. The function itself checks it. */
  async send(request: unknown): Promise<ControlAnswer | Refusal> {
    if (this.#url === undefined) return refuse('The stack has no control function');
    try {
      const answer = await fetch(this.#url, { method: 'POST', body: JSON.stringify(request) });
      const body = (await answer.json()) as ControlAnswer;
      if (answer.ok && !answer.headers.has('x-amz-function-error')) return body;
      return refuse(`The control function failed: ${JSON.stringify(body)}`);
    } catch (error) {
      return refuse(`The control function did not answer: ${(error as Error).message}`);
    }
  }

  /** Reads the status of all lists, once for all who wait. Keeps the last one if that fails. */
  async readStatus(): Promise<void> {
    // All, as far as they fit an answer: only so is the last paused one among those that are shown.
    const request: StatusRequest = { command: 'status', sort: 'failures' };
    const readAt = Date.now();
    this.#reading ??= this.send(request).then((answer) => {
      this.#reading = undefined;
      if (!('command' in answer) || answer.command !== 'status') return;
      this.status = answer;
      this.statusReadAt = readAt;
    });
    return this.#reading;
  }
}

function refuse(message: string): Refusal {
  return { error: { message, hint: 'Try again after the next run.' } };
}
