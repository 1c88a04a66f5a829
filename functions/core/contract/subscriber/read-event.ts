import { resolveClaimCheck } from '../claim-check.ts';
import type { ChangeEvent } from '../events.ts';
import { parseChangeEvent } from '../parse.ts';

/**
 * Reads the event of a message: unwraps SNS's envelope if there is one, and resolves a claim check.
 *
 * @param body the event with raw message delivery; otherwise SNS's envelope around it.
 * @param readTextAt resolves with the text of the object at `s3://<bucket>/<key>`.
 * @throws InvalidChangeEventError when the body holds no event. Errors of `readTextAt` pass
 * through.
 */
export async function readEvent(
  body: string,
  readTextAt: (dataref: string) => Promise<string>,
): Promise<ChangeEvent> {
  return resolveClaimCheck(parseChangeEvent(withoutEnvelope(body)), readTextAt);
}

/** Any other body is returned as it is: the parser reports its errors. */
function withoutEnvelope(body: string): string {
  try {
    const { Type, Message } = Object(JSON.parse(body)) as Readonly<Record<string, unknown>>;
    return Type === 'Notification' && typeof Message === 'string' ? Message : body;
  } catch {
    return body;
  }
}
