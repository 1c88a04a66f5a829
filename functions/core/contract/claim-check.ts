import { quote } from '../model/json/quote.ts';
import type { ChangeEvent, ClaimCheckEvent } from './events.ts';
import { InvalidChangeEventError, parseChangeEvent } from './parse.ts';

/** Whether the event is a claim check: its data were too large for the topic. */
export function isClaimCheck(event: ChangeEvent | ClaimCheckEvent): event is ClaimCheckEvent {
  return event.dataref !== undefined;
}

/**
 * Resolves a claim check to its whole event; any other event is returned as it is.
 *
 * ```ts
 * const event = await resolveClaimCheck(parseChangeEvent(text), async (dataref) => {
 *   const { hostname: Bucket, pathname } = new URL(dataref);
 *   const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: pathname.slice(1) }));
 *   return Body.transformToString();
 * });
 * ```
 *
 * @param read resolves with the text of the object at `s3://<bucket>/<key>`. The object expires
 *   after 30 days, or with the topic's archive if that is longer.
 * @throws InvalidChangeEventError when the object is another event or no event. Errors of `read`
 *   pass through.
 */
export async function resolveClaimCheck(
  event: ChangeEvent | ClaimCheckEvent,
  read: (dataref: string) => Promise<string>,
): Promise<ChangeEvent> {
  if (!isClaimCheck(event)) return event;
  const whole = parseChangeEvent(await read(event.dataref));
  if (isClaimCheck(whole)) {
    throw new InvalidChangeEventError(
      `${event.dataref} holds another claim check, not the event ${event.id}`,
      'dataref',
    );
  }
  for (const name of ['id', 'source', 'type', 'subject', 'sequence'] as const) {
    if (whole[name] === event[name]) continue;
    const difference = `${name} is ${quote(whole[name])}, not ${quote(event[name])}`;
    throw new InvalidChangeEventError(
      `${event.dataref} holds another event: its ${difference}`,
      'dataref',
    );
  }
  return whole;
}
