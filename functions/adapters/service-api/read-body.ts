import { PageTooLargeError, type ProtocolError } from '../../core/model/errors.ts';
import { decodeBody } from '../../core/model/json/decode-body.ts';

/**
 * Reads the body of a good answer. A body is unbounded until somebody bounds it: 0.26 MB of gzip
 * can be a gigabyte.
 *
 * @throws PageTooLargeError when it has more bytes than the maximum; the rest is not read.
 * @throws ProtocolError when its bytes are no text.
 */
export async function readBody(
  { body }: Response,
  maxBytes: number,
  broken: (reason: string) => ProtocolError,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the body.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new PageTooLargeError(`An answer has more than ${maxBytes} bytes, the maximum`, {
        hint: 'Raise memoryMb, or make the entity smaller.',
      });
    }
    chunks.push(chunk);
  }
  return decodeBody(Buffer.concat(chunks, bytes), broken);
}
