import { quote } from '../model/quote.ts';
import type { ChangeEvent, ClaimCheckEvent } from './events.ts';
import { InvalidChangeEventError } from './invalid-change-event.ts';
import { parseChangeEvent } from './parse.ts';

/** Whether the event was too large for the topic, so that its data lie elsewhere. */
export function isClaimCheck(event: ChangeEvent | ClaimCheckEvent): event is ClaimCheckEvent {
  return event.dataref !== undefined;
}

/**
 * The whole event: what a claim check stands for, or the event itself if it is none.
 *
 * ```ts
 * const event = await resolveClaimCheck(parseChangeEvent(text), async (dataref) => {
 *   const { hostname: Bucket, pathname } = new URL(dataref);
 *   const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: pathname.slice(1) }));
 *   return Body.transformToString();
 * });
 * ```
 *
 * @param read resolves with the text of what lies at `s3://<bucket>/<key>`; it rejects when nothing does,
 *   as after 30 days, or the days of the topic's archive.
 * @throws InvalidChangeEventError when another event lies there, or none. What `read` rejects with is passed on.
 */
export async function resolveClaimCheck(
  event: ChangeEvent | ClaimCheckEvent,
  read: (dataref: string) => Promise<string>,
): Promise<ChangeEvent> {
  if (!isClaimCheck(event)) return event;
  const whole = parseChangeEvent(await read(event.dataref));
  if (isClaimCheck(whole)) {
    throw new InvalidChangeEventError(
      `${event.dataref} holds a claim check again, not the event ${event.id}`,
      'dataref',
    );
  }
  for (const name of ['id', 'source', 'type', 'subject', 'sequence'] as const) {
    if (whole[name] === event[name]) continue;
    throw new InvalidChangeEventError(
      `${event.dataref} holds another event: its ${name} is ${quote(whole[name])}, not ${quote(event[name])}`,
      'dataref',
    );
  }
  return whole;
}
