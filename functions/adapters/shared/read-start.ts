const decoder = new TextDecoder();

/**
 * Reads the first bytes of a body as text, and drops the rest unread: a compressed body of a few KB may
 * have hundreds of MB.
 */
export async function readStart({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return decoder.decode(Buffer.concat(chunks).subarray(0, maxBytes));
}
