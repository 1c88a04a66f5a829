import type { LargeEvents } from './ports.ts';
import type { EventAttributes } from './read-event.ts';

/** A large event is sent whole up to this size. Ten such events took 365 MB of the function's 512. */
const MAX_WHOLE_BYTES = 1_000_000;

/**
 * The body of a request: the event as it was published. A large event is fetched from the bucket; one above the
 * maximum stays a claim check, whose `dataref` is an address that the endpoint can read.
 *
 * @param text the message.
 */
export async function bodyOf(
  { dataref }: EventAttributes,
  text: string,
  largeEvents: LargeEvents,
): Promise<string> {
  if (dataref === undefined) return text;
  const whole = await largeEvents.read(dataref, MAX_WHOLE_BYTES);
  if (whole !== undefined) return whole;
  const claimCheck = JSON.parse(text) as object;
  return JSON.stringify({ ...claimCheck, dataref: await largeEvents.presign(dataref) });
}
