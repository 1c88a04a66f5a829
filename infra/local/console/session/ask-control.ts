import type { ControlAnswer } from '../../../../functions/control/protocol.ts';
import type { LocalStack } from '../../stack/local-stack.ts';

/** Invokes the control function of a stack, as Lambda does. The function checks the request. */
export async function askControl(
  { lambdaUrl, provisioned }: Pick<LocalStack, 'lambdaUrl' | 'provisioned'>,
  request: unknown,
): Promise<ControlAnswer> {
  const name = provisioned.outputs['ControlFunctionName'];
  const url = `${lambdaUrl}/2015-03-31/functions/${name}/invocations`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(request) });
  if (answer.ok && !answer.headers.has('x-amz-function-error')) {
    return (await answer.json()) as ControlAnswer;
  }
  throw new Error(`The control function failed: ${await answer.text()}`);
}
