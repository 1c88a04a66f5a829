import type { ProtocolError } from '../../core/model/errors.ts';
import { decodeBody } from '../../core/model/json/decode-body.ts';
import { weightOf } from '../../core/model/json/weight.ts';
import { headerOf } from '../../core/model/page-end.ts';
import type { BodyReservation, PageHeaders } from '../../core/ports/service-api.ts';
import type { Attempt } from '../shared/attempt.ts';

/** More than an error quotes. */
const MAX_QUOTED_BYTES = 4_096;

/** Makes the error of an answer whose body is no text; `start` is the start of its body as far as it is one. */
type Broken = (reason: string, start: string) => ProtocolError;

/**
 * Reads the body of a good answer once its memory is reserved.
 *
 * @throws PageTooLargeError when it is larger than the reservation, or would be once it is parsed; the rest is
 *   not read.
 * @throws ProtocolError when its bytes are no text.
 */
export async function readBody(
  reservation: BodyReservation,
  { body, headers }: Response,
  attempt: Attempt,
  broken: Broken,
): Promise<string> {
  try {
    await attempt.untimed(reservation.acquire(parseHeaders(headers), attempt.signal));
  } catch (error) {
    // An aborted body rejects: it is closed already.
    body?.cancel().catch(() => undefined);
    throw error;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    chunks.push(chunk);
    await untimed(reservation.onBytesRead(bytes, attempt.signal), attempt);
  }
  const whole = Buffer.concat(chunks, bytes);
  const text = decodeBody(whole, headers.get('content-type'), (charset) =>
    broken(`the body must be text in ${charset}`, whole.toString('utf8', 0, MAX_QUOTED_BYTES)),
  );
  reservation.resize(bytes);
  const weight = weightOf(text, reservation.maxBytes);
  await untimed(reservation.onWeighed(weight, attempt.signal), attempt);
  return text;
}

/** Waits with the attempt's timer stopped, if there is anything to wait for. */
async function untimed(waiting: Promise<void> | undefined, attempt: Attempt): Promise<void> {
  if (waiting !== undefined) await attempt.untimed(waiting);
}

function parseHeaders(headers: Headers): PageHeaders {
  // An encoded body is larger in memory.
  const bytes = headers.has('content-encoding') ? undefined : parseCount(headers, 'content-length');
  const entities = parseCount(headers, 'x-count');
  return { ...(bytes !== undefined && { bytes }), ...(entities !== undefined && { entities }) };
}

function parseCount(headers: Headers, name: string): number | undefined {
  const value = headerOf(headers, name) ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
