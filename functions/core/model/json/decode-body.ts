/** The decoder of the platform, whose types dependents of the package may not have. */
const { TextDecoder } = globalThis as unknown as {
  readonly TextDecoder: new (
    label: string,
    options: { readonly fatal: boolean },
  ) => { decode(body: ArrayBuffer | Uint8Array): string };
};

/**
 * Decodes the body of an answer: by the charset of its `Content-Type`, or else as UTF-8, which JSON must be (RFC 8259).
 * Other bytes would be replaced in silence.
 *
 * @param notText makes the error of a body that is no text in this charset.
 */
export function decodeBody(
  body: ArrayBuffer | Uint8Array,
  contentType: string | null,
  notText: (charset: string) => Error,
): string {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  // The platform takes ASCII for an alias of windows-1252, which has a character for each byte.
  const named = /ascii|x3\.4/i.test(charset) ? [] : [charset];
  for (const label of [...named, 'utf-8']) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(body);
    } catch {
      // Other bytes, or an unknown charset.
    }
  }
  throw notText(charset);
}
