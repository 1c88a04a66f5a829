import { weightOf } from '../../core/model/json.ts';
import type { BodyReservation, PageHeaders } from '../../core/ports/service-api.ts';
import type { Attempt } from '../shared/attempt.ts';

const decoder = new TextDecoder();

/**
 * Reads the body of a page once its memory is reserved.
 *
 * @throws PageTooLargeError when it is larger than the reservation, or would be once it is parsed; the rest is
 *   not read.
 */
export async function readBody(
  reservation: BodyReservation,
  { body, headers }: Response,
  attempt: Attempt,
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
  const text = decoder.decode(Buffer.concat(chunks, bytes));
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
  const value = headers.get(name);
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
