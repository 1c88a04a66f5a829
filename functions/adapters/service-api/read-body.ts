import type { PageHeaders, BodyReservation } from '../../core/ports/service-api.ts';
import type { Attempt } from './attempt.ts';

const decoder = new TextDecoder();

/**
 * Reads the body of a page when there is room for it; until then it stays where it is.
 *
 * @throws PageTooLargeError when there is none; the rest of the body is not read.
 */
export async function readInto(
  reservation: BodyReservation,
  { body, headers }: Response,
  attempt: Attempt,
): Promise<string> {
  try {
    await attempt.untimed(reservation.acquire(headOf(headers), attempt.signal));
  } catch (error) {
    // One that was aborted is over already.
    body?.cancel().catch(() => undefined);
    throw error;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    reservation.onBytesRead(bytes);
    chunks.push(chunk);
  }
  reservation.resize(bytes);
  return decoder.decode(Buffer.concat(chunks, bytes));
}

function headOf(headers: Headers): PageHeaders {
  // A body that was encoded is larger in memory.
  const bytes = headers.has('content-encoding') ? undefined : countIn(headers, 'content-length');
  const entities = countIn(headers, 'x-count');
  return {
    ...(bytes !== undefined && { bytes }),
    ...(entities !== undefined && { entities }),
  };
}

function countIn(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
